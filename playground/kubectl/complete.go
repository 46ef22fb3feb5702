package kubectl

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
)

// Completion is how the last word of a command line may go on.
type Completion struct {
	From  int // where the word begins, in bytes
	Words []string
	// Resource is what may be named there ("pods"); "" for nothing. Whoever knows the objects adds their names, after
	// Prefix ("pod/"), if they are in Namespace ("" for any kind that has none).
	Resource, Prefix, Namespace string

	about  func(word string) string // what one of Words is; nil where it is not told
	closed bool                     // no name of a file may stand there
}

// subjects are the commands whose first word is a kind of objects, and those behind which it is one thing only.
var subjects = map[string]string{
	"annotate": "", "apply edit-last-applied": "", "apply view-last-applied": "", "autoscale": "", "delete": "", "describe": "", "edit": "", "explain": "", "expose": "", "get": "", "label": "", "patch": "", "scale": "",
	"rollout history": "", "rollout pause": "", "rollout restart": "", "rollout resume": "", "rollout status": "", "rollout undo": "",
	"set env": "", "set image": "", "set resources": "", "set selector": "", "set serviceaccount": "", "taint": "", "wait": "",
	"attach": "pods", "debug": "pods", "exec": "pods", "logs": "pods", "port-forward": "pods", "top pod": "pods",
	"cordon": "nodes", "drain": "nodes", "uncordon": "nodes", "top node": "nodes",
	"certificate approve": "certificatesigningrequests", "certificate deny": "certificatesigningrequests",
}

// Complete is what a shell offers when Tab is pressed at the end of a line: commands, flags, kinds and names.
// Upstream: kubectl pkg/util/completion/completion.go; github.com/spf13/cobra, completions.go.
func Complete(line string) Completion {
	from := strings.LastIndexAny(line, " \t") + 1
	before := strings.Fields(line[:from])
	if len(before) > 0 && before[0] == "kubectl" {
		before = before[1:]
	}
	out := complete(before, line[from:], metav1.NamespaceDefault)
	out.From = from
	return out
}

// complete is how a last word may go on behind those before it. namespace is where objects are if the line names none.
func complete(before []string, last, namespace string) (out Completion) {
	offer := func(words []string, after string) {
		for _, w := range words {
			if strings.HasPrefix(w, last) && w != "options" {
				out.Words = append(out.Words, w+after)
			}
		}
		slices.Sort(out.Words)
		out.Words = slices.Compact(out.Words)
	}
	if slices.Contains(before, "--") {
		return out
	}
	// The command is the longest name of words.
	var c *command
	n, path := 0, ""
	for i := 0; i < min(len(before), 3) && !strings.HasPrefix(before[i], "-"); i++ {
		if path = strings.TrimSpace(path + " " + before[i]); aliases[path] != "" {
			path = aliases[path]
		}
		if found := lookup(path); found != nil {
			c, n = found, i+1
		}
	}
	switch {
	case strings.HasPrefix(last, "-") && strings.Contains(last, "="):
		return out
	case strings.HasPrefix(last, "-"):
		spec := globalFlags
		if c != nil {
			spec = c.flags + " " + spec
		}
		var flags []string
		for _, f := range parseSpec(spec) {
			if f.absent {
				continue
			}
			if flags = append(flags, "--"+f.name); f.bare == "" {
				flags[len(flags)-1] += "="
			}
		}
		offer(flags, "")
		out.closed = true
		out.about = func(word string) string {
			name := ""
			if c != nil {
				name = c.name
			}
			return aboutFlag(name, strings.Trim(word, "-="))
		}
		return out
	case c == nil || n == len(before) && len(names(c.name)) > 0:
		below := ""
		if c == nil && len(before) > 0 {
			if below = strings.Join(before, " "); len(names(below)) == 0 {
				return out
			}
		} else if c != nil {
			below = c.name
		}
		offer(names(below), " ")
		out.closed = true
		out.about = func(word string) string { return aboutCommand(strings.TrimSpace(below + " " + word)) }
		if c == nil {
			return out
		}
	}
	if c.name == "completion" && n == len(before) {
		offer(slices.Clone(shells), " ")
		out.closed = true
		return out
	}
	resource, takes := subjects[c.name]
	if !takes {
		return out
	}
	arguments, open := 0, false // open: the last word is a flag's value
	for i := n; i < len(before); i++ {
		word := before[i]
		switch {
		case word == "-A" || word == "--all-namespaces":
			namespace = "*"
		case (word == "-n" || word == "--namespace") && i+1 < len(before):
			i++
			namespace = before[i]
		case strings.HasPrefix(word, "--namespace="):
			namespace = strings.TrimPrefix(word, "--namespace=")
		case strings.HasPrefix(word, "-n") && !strings.HasPrefix(word, "--"):
			namespace = word[len("-n"):]
		case strings.HasPrefix(word, "-"):
			if open = takesValue(c, word); open && i+1 < len(before) {
				i++
				open = false
			}
		default:
			if arguments++; resource == "" {
				resource = word
			}
		}
	}
	if len(before) > 0 && (before[len(before)-1] == "-n" || before[len(before)-1] == "--namespace") {
		out.Resource, out.closed = "namespaces", true
		return out
	}
	if open {
		return out
	}
	out.closed = true
	kind, _, slash := strings.Cut(last, "/")
	switch {
	case slash:
		resource, out.Prefix = kind, kind+"/"
	case resource == "" || arguments == 0 && subjects[c.name] == "":
		var kinds []string
		for _, k := range api.Kinds() {
			if k.NewList != nil { // as upstream: what can be read, by its whole name
				kinds = append(kinds, k.Resource)
			}
		}
		if strings.HasPrefix(c.name, "rollout ") {
			kinds = []string{"deployments", "daemonsets", "statefulsets"}
		}
		offer(kinds, " ")
		return out
	}
	if k := api.Resolve(resource); k != nil {
		if out.Resource = k.Resource; k.Namespaced {
			out.Namespace = namespace
		}
	} else if resource == subjects[c.name] {
		out.Resource = resource
	}
	return out
}

// takesValue tells whether the word behind a flag is its value.
func takesValue(c *command, word string) bool {
	if strings.Contains(word, "=") {
		return false
	}
	name := strings.TrimLeft(word, "-")
	for _, f := range parseSpec(c.flags + " " + globalFlags) {
		if strings.HasPrefix(word, "--") && f.name == name || !strings.HasPrefix(word, "--") && f.short == name {
			return f.bare == ""
		}
	}
	return false
}

// shells are those for which completion prints a script.
var shells = []string{"bash", "fish", "powershell", "zsh"}
