package plain

import (
	"fmt"
	"strings"
	"time"
)

// Demo is a demo in words, in one language.
type Demo struct {
	Title    string
	Words    Words
	URL      string // where it plays
	Marks    []Mark
	Controls []string // what the reader can change
}

// Mark is a moment that the author points at.
type Mark struct {
	At      time.Duration
	Caption string
}

// Line is an event in words.
type Line struct {
	At       time.Duration
	Sentence string
}

// Exercise is what a reader is asked to do, in words.
type Exercise struct {
	Words   Words
	Task    string
	Goal    []string
	Options []Option // of a question
	Hints   []string
	Answer  []Line // times are since the exercise begins
}

// Option is one answer to a question.
type Option struct {
	Text, Why string
	Right     bool
}

// Markdown is the storyboard: a heading's worth of text for each mark. Where it plays is also what happened in between, event by event.
func (d Demo) Markdown() string {
	var b strings.Builder
	title := Escape(d.Title)
	if d.URL != "" {
		title = "[" + title + "](" + destination(d.URL) + ")"
	}
	fmt.Fprintf(&b, "**%s:** %s\n", Escape(d.Words.Demo), title)
	for i, m := range d.Marks {
		fmt.Fprintf(&b, "\n%d. `%s` %s\n", i+1, Seconds(m.At), inline(fold(m.Caption)))
	}
	if len(d.Controls) > 0 {
		fmt.Fprintf(&b, "\n%s\n\n", Escape(d.Words.Controls))
		list(&b, "", d.Controls)
	}
	return b.String()
}

// Markdown is the exercise with its hints and its answer.
func (x Exercise) Markdown() string {
	var b strings.Builder
	kind := x.Words.Exercise
	if len(x.Options) > 0 {
		kind = x.Words.Question
	}
	fmt.Fprintf(&b, "**%s:** %s\n", Escape(kind), inline(fold(x.Task)))
	if len(x.Goal) > 0 {
		b.WriteByte('\n')
		list(&b, "", x.Goal)
	}
	if len(x.Options) > 0 {
		b.WriteByte('\n')
		for i, o := range x.Options {
			fmt.Fprintf(&b, "%d. %s\n", i+1, Escape(o.Text))
		}
	}
	if len(x.Hints) > 0 {
		fmt.Fprintf(&b, "\n%s:\n\n", Escape(x.Words.Hints))
		list(&b, "", x.Hints)
	}
	var answer []string
	for _, o := range x.Options {
		if o.Right {
			answer = append(answer, o.Text+" – "+o.Why)
		}
	}
	for _, l := range x.Answer {
		answer = append(answer, "+"+Seconds(l.At)+" "+l.Sentence)
	}
	if len(answer) > 0 {
		fmt.Fprintf(&b, "\n%s:\n\n", Escape(x.Words.Answer))
		list(&b, "", answer)
	}
	return b.String()
}

func list(b *strings.Builder, indent string, items []string) {
	for _, item := range items {
		fmt.Fprintf(b, "%s- %s\n", indent, Escape(item))
	}
}

func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// Seconds writes a virtual time as the pages do: "1.250 s".
func Seconds(d time.Duration) string {
	return fmt.Sprintf("%d.%03d s", d/time.Second, d%time.Second/time.Millisecond)
}
