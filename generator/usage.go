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
	{"new", "new NAME", "create a book in the folder NAME"},
	{"new", "new chapter PART/NAME", "create a chapter, with drafts for its translations"},
	{"new", "new page NAME", "create a page outside of all parts, such as about, with drafts for its translations"},
	{"new", "new post NAME", "create a post of today, with drafts for its translations"},
	{"new", "new meetup NAME", "create a meetup's chapter with a programme, and drafts for its translations"},
	{"new", "new demo NAME", "create a demo"},
	{"new", "new words LANGUAGE", "create a file for translating the site's own words"},
	{"serve", "serve", "serve the book on this machine and rebuild it when you save"},
	{"check", "check", "report what is wrong with the book, without writing anything"},
	{"build", "build", "write the site to a folder"},
	{"trace", "trace DEMO.yaml", "run a demo, print everything that happens in it and report what is wrong"},
	{"release", "release", "write the book as an EPUB and the site as a zip"},
	{"keep", "keep", "keep the demos as they are now, so that links made today show the same in later releases"},
	{"export", "export demo NAME...", "write demos as files that hold everything and open anywhere, or as pictures"},
	{"cluster", "cluster", "run a cluster on a port of this machine, for kubectl and other clients"},
	{"cluster", "cluster LINK", "run a demo's cluster from the moment of a link that a page's Share panel gives"},
	{"cluster", "cluster DEMO.yaml@MARK", "run a demo's cluster from a mark on; without @MARK, from the end of its setup on"},
	{"talk", "talk NAME", "write a talk as a folder: a deck with its demos, for a hall without a network"},
	{"schema", "schema", "write JSON Schemas for site.yaml, front matter and demos, for editors"},
	{"hosting", "hosting SERVER", "print the configuration of nginx or Caddy for the site that build wrote (nginx, caddy)"},
	{"pack", "pack", "build a kubewalk program that works without a checkout (run it in a checkout)"},
	{"dist", "dist", "build it for Linux, macOS and Windows, as archives with checksums (run it in a checkout)"},
	{"npm", "npm", "write the npm package kubewalk, a cluster for programs in JavaScript (run it in a checkout)"},
	{"version", "version", "print the version"},
	{"help", "help", "print this text; help COMMAND describes one command"},
	{"help", "help first-demo", "print the tutorial: from an empty file to a demo with an exercise, in twenty minutes"},
	{"help", "help authoring", "print the manual for chapters: what they can contain besides plain Markdown"},
	{"help", "help demo", "print the manual for demos: everything that a demo's file can contain"},
	{"help", "help embedding", "print the manual for demos on slides and on other sites"},
	{"help", "help npm", "print the manual for the npm package"},
	{"help", "help hosting", "print the manual for putting the site on a host or a server of your own"},
}

// option is a flag, and the commands that have it.
type option struct {
	name, value string // value is "" for one that has none
	does        string
	of          []string
}

var building = []string{"build", "check", "serve", "release", "keep", "export", "talk"}

var offered = []option{
	{"content", "DIR", "the book's folder, which contains site.yaml (default: content)", append([]string{"new", "trace", "cluster"}, building...)},
	{"out", "DIR", "build: the site's folder (default: public); pack: the program (bin/kubewalk);\ndist: the archives' folder (release); npm: the package's folder (release/npm);\nschema: the schemas' folder (.kubewalk); release: the files' folder (release);\nkeep: the releases' folder (releases in the content folder);\nexport: the files' folder (.); talk: the talk's folder (its name);\nhosting: the folder that build wrote (public)", []string{"build", "hosting", "pack", "dist", "npm", "schema", "release", "keep", "export", "talk"}},
	{"base-url", "URL", "the address where the site will be published", append([]string{"hosting"}, building...)},
	{"portable", "", "write a site that opens from a folder, without a server", []string{"build"}},
	{"precompress", "", "also write files compressed (.br, .gz), for servers that send them as they are", []string{"build"}},
	{"root", "DIR", "the site's folder on the server, if it is another one than here", []string{"hosting"}},
	{"drafts", "", "include chapters with draft: true; serve always includes them", building},
	{"strict", "", "treat warnings as errors", building},
	{"language", "LANG", "in this language (default: the book's first)", []string{"export", "talk"}},
	{"single-file", "", "one file for each demo (the default)", []string{"export"}},
	{"pictures", "", "a picture of each moment instead, as PNG and SVG", []string{"export"}},
	{"who", "COMPONENT", "only events of this component, as in kubelet/*", []string{"trace"}},
	{"object", "OBJECT", "only events about this object: web-*, pods/web-* or \"pods default/web-*\"", []string{"trace"}},
	{"op", "KIND", "only events of this kind, as in container.start", []string{"trace"}},
	{"from", "ID", "only events from this step or mark on", []string{"trace"}},
	{"mark", "", "print lines for marks: and claims: to paste into the demo, instead of the events", []string{"trace"}},
	{"addr", "ADDR", "the address to listen on (default: 127.0.0.1:8080); PORT sets the port", []string{"serve"}},
	{"json", "", "print problems as JSON", []string{"check"}},
	{"languages", "LIST", "new NAME: the book's languages, such as en,ja (default: en)", []string{"new"}},
	{"listen", "ADDR", "the address to listen on (default: 127.0.0.1:6443); PORT sets the port", []string{"cluster"}},
	{"kubeconfig", "FILE", "the file to write for kubectl (default: kubeconfig)", []string{"cluster"}},
	{"nodes", "N", "how many nodes run Pods (default: 3)", []string{"cluster"}},
	{"authorization", "MODE", "rbac has the API server ask who may do what; without it, everybody may do everything", []string{"cluster"}},
	{"hollow-nodes", "N", "nodes that only report their Pods as running, instead of --nodes or beside them", []string{"cluster"}},
	{"speed", "X", "how many seconds pass in the cluster in one second (default: 1)", []string{"cluster"}},
	{"save", "FILE", "a demo's file (.yaml) to write, which repeats what you do to the cluster", []string{"cluster"}},
	{"show", "[=ADDR]", "also serve a page that follows what you do, at an address of this machine\n(default: 127.0.0.1:8090)", []string{"cluster"}},
	{"targets", "LIST", "only for these systems, such as linux/arm64,windows/amd64 (default: all six)", []string{"dist"}},
	{"title", "TEXT", "new NAME: the book's title", []string{"new"}},
}

const ending = `Problems are reported as file:line:column: problem (cure). The exit code is 0
if there are no problems or only warnings, 1 if something is wrong, and 2 if the
command line is wrong.
`

// usage is the help of all commands, or of one.
func usage(command string) string {
	var b strings.Builder
	before := "kubewalk "
	if command == "" {
		before = ""
		b.WriteString("kubewalk turns Markdown into a book with live demos of Kubernetes.\n\nusage: kubewalk COMMAND [FLAGS]\n\n")
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
	manuals := map[string]string{
		"first-demo": docs.FirstDemo, "authoring": docs.Authoring, "demo": docs.Demos, "demos": docs.Demos, "embedding": docs.Embedding, "hosting": docs.Hosting,
		"npm": docs.NPM,
	}
	known := []string{"first-demo", "authoring", "demo", "embedding", "hosting", "npm"}
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
		return misuse(fmt.Sprintf("there is no help for %q (%s)", topic, problem.DidYouMean(topic, known)))
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
			return misuse(fmt.Sprintf("%s has no flags (remove --%s)", command, given))
		}
		return misuse(fmt.Sprintf("%s has no flag --%s (%s%s)", command, given, problem.DidYouMean("--"+given, known), see))
	}
	if given, ok := strings.CutPrefix(err.Error(), "flag needs an argument: -"); ok {
		return misuse(fmt.Sprintf("--%s needs a value (as in --%s %s%s)", given, given, valueOf(given), see))
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
