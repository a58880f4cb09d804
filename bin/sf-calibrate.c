/* sf-calibrate - a device's efficiencies from measured traces. */
#include "simfront.h"

#include "calibrate/calibrate-report.h"
#include "calibrate/device-file.h"

int
main(int argc, char *argv[])
{
	const char *device = NULL, *output = NULL;
	int format = SF_FORMAT_MD;
	const struct sf_opt opts[] = {
		SF_OPT_CONFIG('d', "device", &device, "D",
		    "what it was measured on: a name or a JSON file"),
		SF_OPT_OUTPUT('o', "output", &output, "FILE.json",
		    "write the device with what was found", false),
		SF_OPT_CHOICE(
		    'f', "format", &format, sf_formats, "FORMAT", "write"),
		SF_OPT_END,
	};
	struct sf_stream *stream = sf_sink_open(
	    &(struct sf_tool){ .name = "sf-calibrate",
		.sandboxed = true,
		.records = &sf_every_record,
		.summary = "Find a device's efficiencies in measured traces.",
		.opts = opts },
	    argc, argv);
	struct sf_calibration calibration;
	enum sf_kind kind;

	if (device == NULL)
		sf_die(SF_EX_USAGE, "missing option: expected '--device'");
	sf_calibration_init(&calibration,
	    sf_device_load(device, sf_stream_arena(stream)),
	    sf_stream_arena(stream));
	while ((kind = sf_stream_next(stream)) != SF_K_EOF)
		sf_calibration_record(&calibration, stream, kind);
	sf_calibration_finish(&calibration);
	if (output != NULL && calibration.before.calls == 0)
		sf_die(SF_EX_INPUT,
		    "no operator was measured, expected 'measured_s' as "
		    "sf-dispatch writes it; %s is not written",
		    output);
	sf_calibration_report(
	    &calibration, (enum sf_format)format, sf_stream_text(stream));
	if (output != NULL)
		sf_device_file_write(&calibration, output);
	sf_calibration_release(&calibration);
	return sf_stream_close(stream);
}
