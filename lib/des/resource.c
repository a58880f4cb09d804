/* Counted resources, granted at the end of an instant. */
#include "des/resource.h"

#include "base/die.h"

static void
grant(struct sf_at_end *at_end)
{
	struct sf_resource *r = (struct sf_resource *)at_end;
	int granted = 0;

	while (granted < r->nwaiting && r->available > 0) {
		r->available--;
		sf_schedule(r->kernel, r->waiting[granted++].process);
	}
	r->nwaiting -= granted;
	for (int i = 0; i < r->nwaiting; i++)
		r->waiting[i] = r->waiting[i + granted];
}

void
sf_resource_init(struct sf_resource *r, struct sf_kernel *kernel, int64_t units)
{
	*r = (struct sf_resource){
		.at_end = { .end = grant }, .kernel = kernel, .available = units
	};
}

void
sf_resource_request(struct sf_resource *r, struct sf_process *process, int rank)
{
	double now = r->kernel->now;
	int at = r->nwaiting;

	if (at == SF_RESOURCE_WAITING)
		sf_bug("too many processes wait for a resource");
	for (; at > 0 && r->waiting[at - 1].asked == now &&
	     r->waiting[at - 1].rank > rank;
	     at--)
		r->waiting[at] = r->waiting[at - 1];
	r->waiting[at] = (struct sf_request){ now, rank, process };
	r->nwaiting++;
	if (r->available > 0)
		sf_ask_at_end(r->kernel, &r->at_end);
}

void
sf_resource_release(struct sf_resource *r)
{
	r->available++;
	if (r->nwaiting != 0)
		sf_ask_at_end(r->kernel, &r->at_end);
}
