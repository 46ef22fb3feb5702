package demofile_test

import (
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
)

// What a demo may say of its control plane.
func TestControlPlane(t *testing.T) {
	parse := func(lines string) (*demofile.File, string) {
		src := strings.Replace(good, "  nodes: 2\n", "  nodes: 2\n"+lines, 1)
		f, problems := demofile.Parse("x", "x.yaml", []byte(src), []string{"en", "ja"})
		text := ""
		for _, p := range problems {
			text += p.Error() + "\n"
		}
		return f, text
	}
	f, problems := parse("  controllers: [replicaset-controller, garbage-collector-controller]\n  leaderElect: true\n  controllerManagers: 2\n  schedulers: 3\n  operators: [workqueue-example]\n  startLater: [workqueue-example]\n")
	if problems != "" {
		t.Fatal(problems)
	}
	c := f.Scenario.Cluster
	if !slices.Equal(c.Controllers, []string{"replicaset-controller", "garbage-collector-controller"}) || !c.LeaderElect || c.ControllerManagers != 2 ||
		c.Schedulers != 3 || !slices.Equal(c.Operators, []string{"workqueue-example"}) || !slices.Equal(c.StartLater, c.Operators) || !slices.Contains(c.Components(), "workqueue-example") {
		t.Errorf("read as %+v", c)
	}
	for lines, want := range map[string]string{
		"  controllers: [nonsense]\n":                           `x.yaml:5:17: unknown controller "nonsense" (known: `,
		"  controllerManagers: 2\n":                             `x.yaml:5:23: more than one controller manager needs leaderElect: true`,
		"  schedulers: 9\n":                                     `x.yaml:5:15: schedulers has to be a whole number from 1 to 3`,
		"  leaderElect: perhaps\n":                              `x.yaml:5:16: leaderElect has to be true or false`,
		"  operators: [work]\n":                                 `x.yaml:5:15: unknown operator "work" (did you mean "workqueue-example"?)`,
		"  operators: [workqueue-example, workqueue-example]\n": `x.yaml:5:34: operator "workqueue-example" is listed twice`,
		"  operators: [workqueue-example]\n  startLater: [sample-controller]\n": `x.yaml:6:16: operator "sample-controller" cannot start later`,
		"  ingress: true\n":            `x.yaml:5:12: ingress needs network: true`,
		"  networkPolicies: true\n":    `x.yaml:5:20: networkPolicies needs network: true`,
		"  cloudRoutes: true\n":        `x.yaml:5:16: cloudRoutes needs cloud: true`,
		"  controllers: replicasets\n": `x.yaml:5:16: controllers has to be a list`,
	} {
		if _, got := parse(lines); !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
	}
}

// Profiles are those of a KubeSchedulerConfiguration.
func TestSchedulerProfiles(t *testing.T) {
	parse := func(profiles string) (*demofile.File, string) {
		src := strings.Replace(good, "  nodes: 2\n", "  nodes: 2\n  schedulerProfiles:\n"+profiles, 1)
		f, problems := demofile.Parse("x", "x.yaml", []byte(src), []string{"en", "ja"})
		if len(problems) > 0 {
			return f, problems[0].Error()
		}
		return f, ""
	}
	f, problem := parse("    - {schedulerName: default-scheduler}\n    - schedulerName: packer\n      pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated}}}]\n")
	if problem != "" {
		t.Fatal(problem)
	}
	profiles := f.Scenario.Cluster.SchedulerProfiles
	if len(profiles) != 2 || profiles[1].SchedulerName != "packer" ||
		string(profiles[1].PluginConfig[0].Args) != `{"scoringStrategy":{"type":"MostAllocated"}}` {
		t.Errorf("read as %+v", profiles)
	}
	for profiles, want := range map[string]string{
		"    - {schedulername: a}\n":                         `x.yaml:6:7: the scheduler's profile: strict decoding error: unknown field "schedulername"`,
		"    - {schedulerName: 3}\n":                         `x.yaml:6:7: the scheduler's profile: json: cannot unmarshal number`,
		"    - {schedulerName: a}\n    - {}\n":               `x.yaml:5:3: kube-scheduler would not start with these profiles: profiles[1].schedulerName: Required value`,
		"    - packer\n":                                     `x.yaml:6:7: a scheduler's profile has to be keys and values, and is the text "packer" (write it as {schedulerName: default-scheduler})`,
		"    - {plugins: {score: {enabled: [{name: A}]}}}\n": `x.yaml:5:3: kube-scheduler would not start with these profiles: `,
	} {
		if _, got := parse(profiles); !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %q, want %q", profiles, got, want)
		}
	}
}

// What dies with its machine cannot be stopped, nor what is no component of the cluster.
func TestWhatCannotBeStopped(t *testing.T) {
	for _, name := range []string{"containerd/node-1", "kubectl"} {
		_, problems := demofile.Parse("x", "x.yaml", []byte(change(t, "scale: {replicaset: web, replicas: 2}}", "stop: "+name+"}")), []string{"en", "ja"})
		if want := `x.yaml:20:29: unknown component "` + name + `" (known: `; len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), want) {
			t.Errorf("stop %s: %v, want %q", name, problems, want)
		}
	}
}

// Whose insides the picture shows.
func TestFocus(t *testing.T) {
	parse := func(line string) (*demofile.File, string) {
		src := strings.Replace(good, "setup:", line+"\nsetup:", 1)
		f, problems := demofile.Parse("x", "x.yaml", []byte(src), []string{"en", "ja"})
		if len(problems) > 0 {
			return f, problems[0].Error()
		}
		return f, ""
	}
	f, problem := parse("focus: [generic-garbage-collector, replicaset-controller]")
	if problem != "" || f.Scenario.Focus != "" || !slices.Equal(f.Scenario.Insides, []string{"generic-garbage-collector", "replicaset-controller"}) {
		t.Errorf("read as %v, %s", f.Scenario.Insides, problem)
	}
	if f, problem := parse("focus: replicaset-controller"); problem != "" || f.Scenario.Focus != "replicaset-controller" || f.Scenario.Insides != nil {
		t.Errorf("one controller alone is read as %q, %v, %s", f.Scenario.Focus, f.Scenario.Insides, problem)
	}
	if f, problem := parse("focus: kubelet"); problem != "" || f.Scenario.Focus != scene.FocusKubelet {
		t.Errorf("the kubelet is read as %q, %s", f.Scenario.Focus, problem)
	}
	if f, problem := parse("focus: etcd"); problem != "" || f.Scenario.Focus != scene.FocusStore {
		t.Errorf("the store is read as %q, %s", f.Scenario.Focus, problem)
	}
	if f, problem := parse("focus: cluster"); problem != "" || f.Scenario.Focus != "" || f.Scenario.Insides != nil {
		t.Errorf("the whole cluster is read as %q, %v, %s", f.Scenario.Focus, f.Scenario.Insides, problem)
	}
	for _, name := range []string{"garbage-collector", scene.FocusCollector} {
		if f, problem := parse("focus: " + name); problem != "" || f.Scenario.Focus != scene.FocusCollector {
			t.Errorf("%s is read as %q, %s", name, f.Scenario.Focus, problem)
		}
	}
	if _, got := parse("focus: [garbage-collector]"); !strings.Contains(got, `no component "garbage-collector" runs in this cluster`) {
		t.Errorf("the graph among controllers: %s", got)
	}
	if _, got := parse("focus: [kubelet]"); !strings.Contains(got, `no component "kubelet" runs in this cluster`) {
		t.Errorf("the kubelet in a list: %q", got)
	}
	many := "focus: [" + strings.Repeat("replicaset-controller, ", scene.MostInsides) + "replicaset-controller]"
	if _, got := parse(many); !strings.HasSuffix(got, "the picture has room for the internals of 3 controllers (list those that the demo is about)") {
		t.Errorf("one too many: %q", got)
	}
	if _, got := parse("focus: [replicaset-controler]"); !strings.Contains(got, `no component "replicaset-controler" runs in this cluster`) {
		t.Errorf("a typing error: %q", got)
	}
	mark := func(rest string) (scenario.Mark, string) {
		src := strings.Replace(good, "marks:\n", "marks:\n  - {id: there, "+rest+", caption: {en: a, ja: b}}\n", 1)
		f, problems := demofile.Parse("x", "x.yaml", []byte(src), []string{"en", "ja"})
		if len(problems) > 0 {
			return scenario.Mark{}, problems[0].Error()
		}
		return f.Scenario.Marks[0], ""
	}
	if m, problem := mark("when: {op: store.commit}, focus: kube-scheduler"); problem != "" || m.Focus != "kube-scheduler" || m.Insides != nil {
		t.Errorf("a moment's focus is read as %q, %v, %s", m.Focus, m.Insides, problem)
	}
	if m, problem := mark("when: {op: store.commit}, focus: garbage-collector"); problem != "" || m.Focus != scene.FocusCollector {
		t.Errorf("the graph from a moment on is read as %q, %s", m.Focus, problem)
	}
	if m, problem := mark("when: {op: store.commit}, focus: [replicaset-controller]"); problem != "" || m.Focus != scenario.FocusCluster || len(m.Insides) != 1 {
		t.Errorf("a moment's focus is read as %q, %v, %s", m.Focus, m.Insides, problem)
	}
	if _, got := mark("at: 3s, focus: kubelet"); !strings.HasSuffix(got, `mark "there" changes the picture, which happens at an event: write when: instead of at:`) {
		t.Errorf("a focus at a time: %q", got)
	}
	if _, got := mark("when: {op: store.commit}, focus: kubelett"); !strings.Contains(got, `no component "kubelett" runs in this cluster (did you mean "kubelet"?)`) {
		t.Errorf("a typing error in a moment: %q", got)
	}
}
