package claim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Value is what a run says to a claim.
type Value struct {
	kind   valueKind
	number int64
	took   time.Duration
	text   string
	place  *Place
}

// Place is where a claim about a counterfactual leads; nil for one about the real
// world, of which the page has the marks.
func (v Value) Place() *Place { return v.place }

// Number is the value where it is a whole number, as that of a moment is.
func (v Value) Number() (n int, ok bool) { return int(v.number), v.kind == number }

type valueKind int

const (
	nothing valueKind = iota
	number
	duration
	words
	part // a text of which a part is told
)

func numberOf(n int) Value { return Value{kind: number, number: int64(n), text: strconv.Itoa(n)} }

func durationOf(d time.Duration) Value { return Value{kind: duration, took: d, text: d.String()} }

// valueOf is the value of a field or of a log line: a number or a time when it looks like one.
func valueOf(text string) Value {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return Value{kind: number, number: n, text: text}
	}
	if d, err := time.ParseDuration(text); err == nil {
		return Value{kind: duration, took: d, text: text}
	}
	return Value{kind: words, text: text}
}

// String is the value as it would be written.
func (v Value) String() string {
	switch {
	case v.kind == words && v.text == "":
		return "empty"
	case v.kind == part && len(v.text) > 200:
		return strings.ToValidUTF8(v.text[:200], "") + "…"
	}
	return v.text
}

// agrees reads what a sentence says, and tells whether the value is that. The
// error is about a text that says no such thing.
func (v Value) agrees(text string) (bool, error) {
	text = strings.Join(strings.Fields(text), " ")
	if v.kind == nothing {
		return true, nil
	}
	if text == v.text {
		return true, nil
	}
	switch v.kind {
	case part:
		return text != "" && strings.Contains(strings.Join(strings.Fields(v.text), " "), text), nil
	case words:
		return false, nil
	case duration:
		took, unit, ok := durationIn(text)
		if !ok {
			return false, wrong("write it with its unit: 5 ms, two seconds, 1 min 30 s, 40 秒", "%q is no time", text)
		}
		return time.Duration(math.Round(float64(v.took)/float64(unit)))*unit == took, nil
	}
	found := numbersIn(text)
	switch len(found) {
	case 0:
		return false, wrong("put the number between the brackets, in digits or in words", "%q holds no number", text)
	case 1:
		n, err := strconv.ParseInt(found[0], 10, 64)
		return err == nil && n == v.number, nil
	}
	return false, wrong("put the one that is meant between the brackets", "%q holds %d numbers", text, len(found))
}

// Check holds a value against what the sentence says. The error is a
// problem.Problem without a place.
func (c *Claim) Check(v Value, text string) error {
	if c.Asks == Moment && len(numbersIn(text)) == 0 {
		return nil // a phrase that leads there, and claims nothing
	}
	agrees, err := v.agrees(text)
	if err != nil || agrees {
		return err
	}
	shown := v.String()
	if v.kind == duration {
		shown = spoken(v.took)
	}
	if v.kind == words && v.text != "" {
		shown = strconv.Quote(v.text)
	}
	switch c.Asks {
	case Moment:
		return wrong(fmt.Sprintf("write %d, or a phrase without numbers, or name the mark that is meant", v.number), "the sentence says %s, mark %q is moment %d of %s",
			text, c.To, v.number, c.demo())
	case CommandOutput:
		return wrong("quote what it prints", "the sentence says %q, the last command has printed %q %s", text, shown, c.where())
	}
	return wrong("write what the demo shows, or mend the demo", "the sentence says %s, %s is %s %s", text, c.Text, shown, c.where())
}

// spoken is a duration as a sentence may say it: with three digits that count.
func spoken(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= unit.of {
			return strconv.FormatFloat(float64(d)/float64(unit.of), 'g', 6, 64) + " " + unit.name
		}
	}
	return d.String()
}
