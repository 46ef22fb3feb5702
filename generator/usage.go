package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"kubewalk/docs"
	"kubewalk/generator/problem"
)

// use is a line of the help: how a command is called, and what it does.
type use struct{ command, call, does string }

var uses = []use{
	{"new", "new NAME", "start a book in the folder NAME"},
	{"new", "new chapter PART/NAME", "begin a chapter; its translations as drafts"},
	{"new", "new meetup NAME", "begin a meetup's chapter, with a programme; its translations as drafts"},
	{"new", "new demo NAME", "begin a demo"},
	{"new", "new words LANGUAGE", "begin the pages' own words in another language"},
	{"serve", "serve", "show the book on this machine, and rebuild it on save"},
	{"check", "check", "say what is wrong with the book, and write nothing"},
	{"build", "build", "write the site into a folder"},
	{"trace", "trace DEMO.yaml", "run a demo, print all that happens in it and say what is wrong"},
	{"release", "release", "write the book as EPUB, and the site as a zip, to hand out"},
	{"schema", "schema", "write JSON Schemas of site.yaml, front matter and demos, for editors"},
	{"pack", "pack", "make a kubewalk that needs no checkout (in a checkout)"},
	{"version", "version", "say which kubewalk this is"},
	{"help", "help", "say this; help COMMAND is about one"},
	{"help", "help authoring", "print the manual of chapters: what they may hold besides plain Markdown"},
	{"help", "help demo", "print the manual of demos: all that a demo's file may hold"},
}

// option is a flag, and the commands that have it.
type option struct {
	name, value string // value is "" for one that has none
	does        string
	of          []string
}

var building = []string{"build", "check", "serve", "release"}

var offered = []option{
	{"content", "DIR", "the folder of the book, with its site.yaml (content)", append([]string{"new", "trace"}, building...)},
	{"out", "DIR", "build: the folder of the site (public); pack: the program (bin/kubewalk);\nschema: the folder of the schemas (.kubewalk); release: that of the files (release)", []string{"build", "pack", "schema", "release"}},
	{"base-url", "URL", "the address at which the site will be", building},
	{"portable", "", "a site that opens from a folder, without a server", []string{"build"}},
	{"drafts", "", "with chapters that say draft: true; serve always has them", building},
	{"strict", "", "warnings are problems", building},
	{"addr", "ADDR", "where to listen (127.0.0.1:8080); PORT sets the port", []string{"serve"}},
	{"json", "", "problems as JSON", []string{"check"}},
	{"languages", "LIST", "new NAME: the languages of the book, as en,ja (en)", []string{"new"}},
	{"title", "TEXT", "new NAME: what the book is called", []string{"new"}},
}

const ending = `What is wrong is said as file:line:column: what (the cure). The exit code is 0
when all is well, also with warnings; 1 when something is wrong; 2 when the
command line is not understood.
`

// usage is the help of all commands, or of one.
func usage(command string) string {
	var b strings.Builder
	before := "kubewalk "
	if command == "" {
		before = ""
		b.WriteString("kubewalk makes a book with live demos of Kubernetes: a site of Markdown.\n\nusage: kubewalk COMMAND [FLAGS]\n\n")
	}
	width := 0
	for _, u := range uses {
		width = max(width, len(before+u.call))
	}
	for _, u := range uses {
		if command == "" || u.command == command {
			fmt.Fprintf(&b, "  %-*s  %s\n", width, before+u.call, u.does)
		}
	}
	head := "\nflags:\n\n"
	for _, o := range offered {
		if command != "" && !slices.Contains(o.of, command) {
			continue
		}
		does := o.does
		if command == "" && len(o.of) <= len(building) && !slices.ContainsFunc(o.of, func(name string) bool { return strings.HasPrefix(does, name) }) {
			does = strings.Join(o.of, ", ") + ": " + does
		}
		fmt.Fprintf(&b, "%s  %-17s %s\n", head, strings.TrimSpace("--"+o.name+" "+o.value), strings.ReplaceAll(does, "\n", "\n"+strings.Repeat(" ", 20)))
		head = ""
	}
	if command == "" {
		b.WriteString("\n" + ending)
	}
	return b.String()
}

// help answers `kubewalk help`, and what is asked behind it. Manuals are printed as they are.
func help(topics []string, out io.Writer) error {
	text := ""
	topic := strings.Join(topics, " ")
	manuals := map[string]string{"authoring": docs.Authoring, "demo": docs.Demos, "demos": docs.Demos}
	known := []string{"authoring", "demo"}
	for _, u := range uses {
		if !slices.Contains(known, u.command) && u.command != "help" {
			known = append(known, u.command)
		}
	}
	switch {
	case topic == "":
		text = usage("")
	case manuals[topic] != "":
		text = manuals[topic]
	case slices.Contains(known, topic):
		text = usage(topic)
	default:
		return misuse(fmt.Sprintf("help has nothing about %q (%s)", topic, problem.DidYouMean(topic, known)))
	}
	_, err := io.WriteString(out, text)
	return err
}

// misuse is a command line that is not understood: one line, that says what is.
type misuse string

func (m misuse) Error() string { return string(m) }

// misused says what is wrong with a command's flags.
func misused(command string, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	var known []string
	for _, o := range offered {
		if slices.Contains(o.of, command) {
			known = append(known, "--"+o.name)
		}
	}
	see := "; see kubewalk help " + command
	if given, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		if len(known) == 0 {
			return misuse(fmt.Sprintf("%s has no flags, so not --%s", command, given))
		}
		return misuse(fmt.Sprintf("%s has no flag --%s (%s%s)", command, given, problem.DidYouMean("--"+given, known), see))
	}
	if given, ok := strings.CutPrefix(err.Error(), "flag needs an argument: -"); ok {
		return misuse(fmt.Sprintf("--%s needs a value behind it (as in --%s %s%s)", given, given, valueOf(given), see))
	}
	return misuse(fmt.Sprintf("%s: %v (see kubewalk help %s)", command, err, command))
}

func valueOf(name string) string {
	for _, o := range offered {
		if o.name == name {
			return o.value
		}
	}
	return "VALUE"
}
