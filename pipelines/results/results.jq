# Numbers as the pages show them.

# With $n decimals and commas between thousands; for x >= 0.
def grouped: tostring | [while(length > 0; .[:-3])] | [.[] | .[-3:]] |
    reverse | join(",");
def fixed($n): (. * pow(10; $n) | round) as $x |
    ($x / pow(10; $n) | floor | grouped) +
    (if $n == 0 then "" else "." +
	($x % pow(10; $n) | tostring | ("0" * ($n - length)) + .) end);
def percent($n): . * 100 | fixed($n) + " %";

def tera: . / 1e12 | fixed(3);
def giga: . / 1e9 | fixed(2);
def mega: . / 1e6 | fixed(1);
def ms: . * 1e3 | fixed(2);
def us: . * 1e6 | fixed(2);

# A rate of a configuration: a number, or text with a unit.
def rate: if type == "number" then . else
    capture("^(?<x>[0-9.e+]+) *(?<p>[kMGTP]?)(FLOP/s|B/s)$") |
    (.x | tonumber) * ({"": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15}[.p])
    end;
