package kubectl

import (
	"slices"
	"strings"
	"testing"
)

// TestParse is how a command line is understood.
func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		`get pods`:                                          `get args=[pods] rest=[]`,
		`get pods -A -o wide`:                               `get args=[pods] rest=[] all-namespaces=true output=wide`,
		`get pods -Aowide`:                                  `get args=[pods] rest=[] all-namespaces=true output=wide`,
		`get -n shop pods --no-headers=false`:               `get args=[pods] rest=[] namespace=shop no-headers=false`,
		`-n shop get pods`:                                  `get args=[pods] rest=[] namespace=shop`,
		`--namespace=shop get pods`:                         `get args=[pods] rest=[] namespace=shop`,
		`get pods -o=json`:                                  `get args=[pods] rest=[] output=json`,
		`rollout undo deployment/web`:                       `rollout undo args=[deployment/web] rest=[]`,
		`rollout --to-revision=2 undo d/x`:                  "error: unknown flag: --to-revision\nSee 'kubectl rollout --help' for usage.",
		`rollout -n x --as=jane undo d/x`:                   `rollout undo args=[d/x] rest=[] as=jane namespace=x`,
		`create -n x svc --as jane clusterip s`:             `create service clusterip args=[s] rest=[] as=jane namespace=x`,
		`rollout udno d/x`:                                  "error: unknown command \"udno d/x\"\nSee 'kubectl rollout -h' for help and examples",
		`certificate udno`:                                  `certificate args=[udno] rest=[]`,
		`rollout`:                                           `rollout args=[] rest=[]`,
		`exec x -it -- sh -c ls`:                            `exec args=[x] rest=[sh -c ls] stdin=true tty=true`,
		`create service nodeport x --tcp=1:2`:               `create service nodeport args=[x] rest=[] tcp=1:2`,
		`create svc clusterip x --tcp=1`:                    `create service clusterip args=[x] rest=[] tcp=1`,
		`create ns x`:                                       `create namespace args=[x] rest=[]`,
		`create -f x`:                                       `create args=[] rest=[] filename=x`,
		`create cm x --from-literal=a=b --from-literal c=d`: `create configmap args=[x] rest=[] from-literal=a=b,c=d`,
		`delete rs web --cascade`:                           `delete args=[rs web] rest=[] cascade=background`,
		`label node a b- c=d`:                               `label args=[node a b- c=d] rest=[]`,
		`patch x y -p '{"a":1}'`:                            `patch args=[x y] rest=[] patch={"a":1}`,
		`top pods`:                                          `top pod args=[] rest=[]`,
		`scale rs web --replicas=-2`:                        `scale args=[rs web] rest=[] replicas=-2`,
		`gett pods`:                                         "error: unknown command \"gett\" for \"kubectl\"\n\nDid you mean this?\n\tset\n\tget",
		`ls`:                                                "error: unknown command \"ls\" for \"kubectl\"\n\nDid you mean this?\n\tget\n\tlogs\n\tcp",
		`API-`:                                              "error: unknown command \"API-\" for \"kubectl\"\n\nDid you mean this?\n\tapi-versions\n\tapi-resources",
		`xyzzy pods`:                                        `error: unknown command "xyzzy" for "kubectl"`,
		`-n x gett`:                                         `Error: flags cannot be placed before plugin name: -n`,
		`get --nope`:                                        "error: unknown flag: --nope\nSee 'kubectl get --help' for usage.",
		`get -y`:                                            "error: unknown shorthand flag: 'y' in -y\nSee 'kubectl get --help' for usage.",
		`get -o`:                                            "error: flag needs an argument: 'o' in -o\nSee 'kubectl get --help' for usage.",
		`get --output`:                                      "error: flag needs an argument: --output\nSee 'kubectl get --help' for usage.",
		`scale x --replicas=a`:                              "error: invalid argument \"a\" for \"--replicas\" flag: strconv.ParseInt: parsing \"a\": invalid syntax\nSee 'kubectl scale --help' for usage.",
		`get x -A=maybe`:                                    "error: invalid argument \"maybe\" for \"-A, --all-namespaces\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax\nSee 'kubectl get --help' for usage.",
		`wait x --timeout=5`:                                "error: invalid argument \"5\" for \"--timeout\" flag: time: missing unit in duration \"5\"\nSee 'kubectl wait --help' for usage.",
		`-n`:                                                "error: flag needs an argument: 'n' in -n\nSee 'kubectl --help' for usage.",
		`-n x`:                                              `help args=[] rest=[]`,
		``:                                                  `help args=[] rest=[]`,
	} {
		words, err := Split(line)
		if err != nil {
			t.Fatal(err)
		}
		args := []string{}
		for _, w := range words {
			args = append(args, w.Text)
		}
		inv, err := parse(args)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = inv.name + " args=[" + strings.Join(inv.args, " ") + "] rest=[" + strings.Join(inv.rest, " ") + "]"
			for _, k := range sortedKeys(inv.flags) {
				got += " " + k + "=" + strings.Join(inv.flags[k], ",")
			}
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", line, got, want)
		}
	}
}

// Every command has a function, and flags that can be read.
func TestCommandsAreWhole(t *testing.T) {
	names := map[string]bool{}
	for _, c := range commands {
		if c.run == nil || names[c.name] {
			t.Errorf("command %q is there twice, or does nothing", c.name)
		}
		names[c.name] = true
		flags := map[string]bool{}
		for _, f := range parseSpec(c.flags + " " + globalFlags) {
			if f.name == "" || flags[f.name] || f.short != "" && flags["-"+f.short] || len(f.short) > 1 {
				t.Errorf("command %q: flag %+v is there twice, or has no name", c.name, f)
			}
			flags[f.name] = true
			if f.short != "" {
				flags["-"+f.short] = true
			}
		}
	}
	for from, to := range aliases {
		if to != "" && lookup(to) == nil && len(namesUnder(to)) == 0 {
			t.Errorf("%q is to be %q, which there is not", from, to)
		}
	}
}

func namesUnder(path string) []string { return names(path) }

// FuzzParse: no command line makes it panic, and what is wrong has its argument.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"get pods -A", "-n x get", "rollout undo a/b --to-revision=3", "create svc clusterip", "exec a -- b", "get -oyaml", "--", "-",
		"create secret", "set", "delete -l"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		inv, err := parse(args)
		if err == nil {
			if !slices.ContainsFunc(commands, func(c command) bool { return c.name == inv.name }) && !strings.HasPrefix(inv.name, completeName) {
				t.Errorf("%q became %q", line, inv.name)
			}
			return
		}
		if e, ok := err.(*ArgumentError); !ok || e.Arg < 0 || e.Arg >= max(1, len(args)) || e.Message == "" {
			t.Errorf("%q: %+v", line, err)
		}
	})
}

// TestEdited is which object a command line opens in an editor.
func TestEdited(t *testing.T) {
	for line, want := range map[string]string{
		"edit deploy/web": "deployments default/web", "edit -n shop svc web": "services shop/web", "edit node a": "nodes a", "edit site a -n b": "site b/a",
		"edit pods": "", "get pod x": "", "edit": "", "edit pod a b": "", "apply edit-last-applied": "",
		"apply edit-last-applied deploy web -n shop": "deployments shop/web, last applied", "apply edit-last-applied node/a": "nodes a, last applied",
	} {
		got, lastApplied := Edited(strings.Fields(line))
		if lastApplied {
			got += ", last applied"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestFieldsOf is what a helper knows of a manifest.
func TestFieldsOf(t *testing.T) {
	f := FieldsOf("apps/v1", "Deployment")
	container := f.Fields["spec"].Fields["template"].Fields["spec"].Fields["containers"].Items
	for got, want := range map[string]string{
		f.Type: "object", container.Fields["image"].Type: "string", container.Fields["ports"].Items.Fields["containerPort"].Type: "integer",
		f.Fields["spec"].Fields["strategy"].Fields["rollingUpdate"].Fields["maxSurge"].Type: "", // a number or a text
	} {
		if got != want {
			t.Errorf("type %q, want %q", got, want)
		}
	}
	if f.Fields["metadata"].Fields["labels"].Items.Type != "string" || !slices.Contains(container.Required, "name") {
		t.Errorf("labels %+v, required %v", f.Fields["metadata"].Fields["labels"], container.Required)
	}
	for _, none := range [][2]string{{"v1", "Deployment"}, {"", ""}, {"a/b/c", "Pod"}} {
		if FieldsOf(none[0], none[1]) != nil {
			t.Errorf("%v has fields", none)
		}
	}
	if names := KindNames(); !slices.Contains(names, "apps/v1 Deployment") || slices.Contains(names, "autoscaling/v1 Scale") {
		t.Error(names)
	}
}

// A command line is no longer than a program can be started with.
func TestLongCommandLines(t *testing.T) {
	long := strings.Repeat("a", 128<<10)
	for _, c := range []struct {
		args []string
		want int // the argument that is wrong; -1 for none
	}{
		{[]string{"get", "cm", long[1:]}, -1},
		{[]string{"get", "cm", long}, 2},
		{append([]string{"get", "cm"}, slices.Repeat([]string{long[1:]}, 16)...), 17},
		{append([]string{"get", "cm"}, slices.Repeat([]string{"a"}, 200_000)...), -1},
		{append([]string{"get", "cm"}, slices.Repeat([]string{"a"}, 300_000)...), 209714},
	} {
		err := Check(c.args)
		got := -1
		if e, ok := err.(*ArgumentError); ok && e.Message == "bash: kubectl: Argument list too long" {
			got = e.Arg
		}
		if got != c.want {
			t.Errorf("%d arguments: %v, argument %d, want %d", len(c.args), err, got, c.want)
		}
	}
}
