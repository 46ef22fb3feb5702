package kubectl

import (
	"slices"
	"strings"
	"testing"
)

// Every command and every flag that is read has a text, and every text a command or a flag. (That what is printed is laid
// out as the real one does, httpapi/conformance tests.)
func TestHelpIsWhole(t *testing.T) {
	used := map[string]bool{}
	about := func(name string) {
		if a, ok := abouts[name]; !ok || a.text == "" || strings.HasSuffix(a.text, ".") {
			t.Errorf("helptexts.go: abouts[%q] is missing, or ends with a full stop", name)
		}
		used[name] = true
	}
	for _, c := range commands {
		words := strings.Fields(c.name)
		for n := range words {
			about(strings.Join(words[:n+1], " "))
		}
		for _, f := range parseSpec(c.flags + " " + globalFlags) {
			key := f.name
			if _, own := flagTexts[c.name+" "+f.name]; own {
				key = c.name + " " + f.name
			} else if _, any := flagTexts[f.name]; !any && !f.absent {
				t.Errorf("helptexts.go: flagTexts[%q] is missing, of %s", f.name, c.name)
			}
			used["--"+key] = true
		}
	}
	for _, name := range sortedKeys(abouts) {
		if !used[name] {
			t.Errorf("helptexts.go: abouts[%q] is about no command", name)
		}
	}
	for _, name := range sortedKeys(flagTexts) {
		if !used["--"+name] {
			t.Errorf("helptexts.go: flagTexts[%q] is about no flag", name)
		}
	}
	for _, g := range groups {
		for _, name := range g.names {
			if !slices.Contains(names(""), name) {
				t.Errorf("helptexts.go: %s: there is no command %q", g.title, name)
			}
		}
	}
}

func TestHelp(t *testing.T) {
	for line, want := range map[string]string{
		"--help":                             "kubectl controls the Kubernetes cluster manager.\n",
		"-h":                                 "kubectl controls the Kubernetes cluster manager.\n",
		"help":                               "kubectl controls",
		"-n x --help":                        "kubectl controls",
		"--help get pods":                    "Print objects.\n\nOptions:\n    -A, --all-namespaces=false:\n\tObjects of all namespaces.\n\n",
		"get --help":                         "Print objects.\n",
		"get -Ah pods":                       "Print objects.\n",
		"help get":                           "Print objects.\n",
		"help help":                          "Explain a command.\n",
		"rollout -h":                         "Watch, pause, repeat or undo the rollout of a workload.\n\nAvailable Commands:\n  history       List the revisions",
		"help rollout":                       "Watch, pause",
		"rollout undo --help":                "Go back to an earlier revision.\n",
		"help rollout undo":                  "Go back to an earlier revision.\n",
		"create cm --help":                   "Create a ConfigMap from keys and values.\n\nAliases:\nconfigmap, cm\n\nOptions:\n",
		"help create svc nodeport":           "Create a Service with a port on every node.\n",
		"create --help -f x":                 "Create objects",
		"get --help=false":                   "",
		"exec web -- ls --help":              "",
		"get --nope --help":                  "! error: unknown flag: --nope",
		"help gett":                          "! Unknown help topic [`gett`]",
		"help rollout back":                  "Watch, pause, repeat",
		"options":                            "The following options can be passed to any command:\n\n    --as='':\n\t",
		"delete pods --help --help":          "Delete objects",
		"create service loadbalancer --help": "Create a Service with an address outside",
	} {
		got := ""
		inv, err := parse(strings.Fields(line))
		switch {
		case err != nil:
			got = "! " + err.Error()
		case inv.name == "help":
			got = help(inv.topic)
		case inv.name == "options":
			got = "The following options can be passed to any command:\n\n" + flagHelp("", parseSpec(globalFlags))
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s\ngot  %q\nwant %q", line, got, want)
		}
	}
}
