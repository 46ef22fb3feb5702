package claim

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/session"
)

// scale is the demo replicaset-scale, run once for all tests.
var scale = sync.OnceValues(func() (*Run, error) { return play("") })

func play(world string) (*Run, error) {
	const path = "../../../content/demos/replicaset-scale.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, problems := demofile.Parse("replicaset-scale", path, text, []string{"en", "ja"})
	if len(problems) > 0 {
		return nil, problems[0]
	}
	s, err := f.Scenario.World(world)
	if err != nil {
		return nil, err
	}
	run, err := session.Open(s, nil)
	if err != nil {
		return nil, err
	}
	run.Run(s.End)
	run.Close()
	record, err := NewRecord(s, world, run)
	if err != nil {
		return nil, err
	}
	details, err := run.Details(0, 0)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(details)
	if err != nil {
		return nil, err
	}
	kept, err := record.Encode()
	if err != nil {
		return nil, err
	}
	return Open(kept, data)
}

// forgetful is its counterfactual, in which the controller forgets what it asked for.
var forgetful = sync.OnceValues(func() (*Run, error) {
	real, err := scale()
	if err != nil {
		return nil, err
	}
	run, err := play("forgetful")
	if err == nil {
		run.PartFrom(real.Record)
	}
	return run, err
})

// hold is what a build says of a sentence; "" when it is so.
func hold(t *testing.T, text, destination string) string {
	t.Helper()
	c, err := Parse(destination)
	if err != nil {
		return err.Error()
	}
	world := scale
	if c.World != "" {
		world = forgetful
	}
	run, err := world()
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.On(run)
	if err != nil {
		return err.Error()
	}
	if err := c.Check(v, text); err != nil {
		return err.Error()
	}
	return ""
}

func TestWhatIsSo(t *testing.T) {
	for _, test := range []struct{ text, destination string }{
		{"the demo", "demo:replicaset-scale"},
		{"moment 7", "demo:replicaset-scale@assumed"},
		{"場面 7", "demo:replicaset-scale@assumed"},
		{"the moment the Pod gets its node", "demo:replicaset-scale@assumed"},
		{"8", "demo:replicaset-scale@scale-up rs/web .spec.replicas"},
		{"eight", "demo:replicaset-scale@scale-up replicasets/web .spec.replicas"},
		{"8 つ", "demo:replicaset-scale@scale-up -n default rs/web .spec.replicas"},
		{"no Pod", "demo:replicaset-scale@applied count pods -l app=web"},
		{"0", "demo:replicaset-scale@applied rs/web .status.readyReplicas"},
		{"2", "demo:replicaset-scale count pods/web-*"},
		{"two", `demo:replicaset-scale count pods -l app=web .status.conditions[Ready].status=True`},
		{"nginx:1.27", "demo:replicaset-scale rs/web .spec.template.spec.containers.0.image"},
		{"five", "demo:replicaset-scale@scale-up..healed count request.send who=replicaset-controller verb=create path=*/pods"},
		{"eight", "demo:replicaset-scale@scale-up event need"},
		{"Too few replicas", "demo:replicaset-scale@scale-up event message"},
		{"replicaset-controller", "demo:replicaset-scale@scale-up event who"},
		{"14 seconds", "demo:replicaset-scale@too-few..scale-up time"},
		{"2.02 seconds", `demo:replicaset-scale@too-few time container.start object="pods default/web-*"`},
		{"5 ms", "demo:replicaset-scale@too-few..scale-up time pod.assume"},
		{"3", "demo:replicaset-scale@scale-up count pods -l app=web .spec.nodeName!=node-9 .metadata.generateName=web-*"},
		{"Running", "demo:replicaset-scale@healed pods/web-4k4jl .status.phase"},
		{"created", "demo:replicaset-scale@running output"},
		{"27.01 s", "demo:replicaset-scale@scale-up time"},
		{"27.007 秒", "demo:replicaset-scale@scale-up time"},
		{"3", "demo:replicaset-scale@healed count pods -l app=web .spec.terminationGracePeriodSeconds>=5 .spec.nodeName!=node-1 .spec.nodeName!=node-2"},
		{"0", "demo:replicaset-scale@healed count pods -l app=web .spec.terminationGracePeriodSeconds>5"},
		{"5", "demo:replicaset-scale@healed count pods -l app=web .metadata.creationTimestamp>20s"},
		{"3", "demo:replicaset-scale@healed count pods -l app=web .metadata.creationTimestamp<=20s .status.startTime<2100-01-01T00:00:00Z"},
		{"3", "demo:replicaset-scale count nodes .status.allocatable.memory>=1Gi .status.allocatable.cpu>500m"},
		{"twice", "demo:replicaset-scale@too-few..healed count log message=\"Too few replicas\" need>=4 need<=8"},
		{"none", "demo:replicaset-scale@too-few..healed count log message=\"Too few replicas\" need<8 who!=kube-scheduler"},
		{"none", "demo:replicaset-scale@too-few..healed count log message=\"Too few replicas\" who!=replicaset-*"},
		{"the switch", "demo:replicaset-scale?forgetful"},
		{"moment 12", "demo:replicaset-scale?forgetful@too-many"},
		{"8", "demo:replicaset-scale?forgetful@scale-up rs/web .spec.replicas"},
		{"一万ミリ秒", "demo:replicaset-scale@scale-up..healed time"},
	} {
		if strings.Contains(test.destination, " -n ") {
			test.destination = strings.Replace(test.destination, "-n default rs/web", "rs/web -n default", 1)
		}
		if wrong := hold(t, test.text, test.destination); wrong != "" {
			t.Errorf("%s (%s): %s", test.text, test.destination, wrong)
		}
	}
}

func TestWhatIsNotSoNamesTheCure(t *testing.T) {
	for _, test := range []struct{ text, destination, want string }{
		{"3", "demo:replicaset-scale@queued rs/web .status.readyReplicas",
			`the sentence says 3, rs/web .status.readyReplicas is 0 at mark "queued" of demo "replicaset-scale" (write`},
		{"moment 3", "demo:replicaset-scale@assumed", `the sentence says moment 3, mark "assumed" is moment 7 of demo "replicaset-scale" (write 7`},
		{"3", "demo:replicaset-scale@quued rs/web .spec.replicas", `has no mark "quued" (did you mean "queued"?)`},
		{"3", "demo:replicaset-scale@queued rs/wbe .spec.replicas",
			`no object rs/wbe is there at mark "queued" of demo "replicaset-scale" (did you mean "web"?)`},
		{"3", "demo:replicaset-scale@queued rx/web .spec.replicas", `unknown resource "rx" (did you mean`},
		{"3", "demo:replicaset-scale@queued rs/web .spec.replica", `unknown field "replica" of a ReplicaSet, in ".spec.replica" (did you mean "replicas"?)`},
		{"3", "demo:replicaset-scale@queued rs/web .spec.replicas.x", "nothing is inside"},
		{"3", "demo:replicaset-scale@running pods/web-* .status.phase", `pods/web-* is more than one object`},
		{"3", "demo:replicaset-scale@running rs/web", "no field of rs/web is named"},
		{"3", "demo:replicaset-scale@running cuont pods", `did you mean "count"?`},
		{"3", "demo:replicaset-scale@running count request.sent", `unknown kind of event "request.sent" (did you mean "request.send"?)`},
		{"3", "demo:replicaset-scale@running count request.send verbb=create", `no event request.send has a value "verbb" (did you mean "verb"?)`},
		{"3", "demo:replicaset-scale@running count pods status.phase=Running", `conditions are -n NAMESPACE`},
		{"3", "demo:replicaset-scale@running count pods .status.phas=Running", `did you mean "phase"?`},
		{"3", "demo:replicaset-scale@running count pods -l app=(", "label selector"},
		{"3", "demo:replicaset-scale@scale-up event needs", `has no value "needs" (did you mean "need"?)`},
		{"3", "demo:replicaset-scale@running..queued time", `moment "running" is after "queued"`},
		{"15", "demo:replicaset-scale@too-few..scale-up time", `"15" is no time (write it with its unit`},
		{"15 seconds", "demo:replicaset-scale@too-few..scale-up time", "too-few..scale-up"},
		{"3 of 8", "demo:replicaset-scale@scale-up rs/web .spec.replicas", `"3 of 8" holds 2 numbers`},
		{"many", "demo:replicaset-scale@scale-up rs/web .spec.replicas", `"many" holds no number`},
		{"Running", "demo:replicaset-scale@scale-up event message", `the sentence says Running, event message is "Too few replicas"`},
		{"x", "demo:replicaset-scale@running output", `the last command has printed "replicaset.apps/web created" at mark`},
		{"3", "demo:replicaset-scale?forgetful@queued rs/web .status.readyReplicas",
			`rs/web .status.readyReplicas is 0 at mark "queued" of counterfactual "forgetful" of demo "replicaset-scale" (write`},
		{"3", "demo:replicaset-scale?forgetful@quued count pods", `has no mark "quued" (did you mean "queued"?)`},
		{"3", "demo:replicaset-scale@running?forgetful count pods", "write demo:NAME?WORLD@MARK"},
		{"3", "demo:replicaset-scale?@running count pods", "names no counterfactual"},
		{"3", "demo:?forgetful count pods", "names no demo"},
		{"3", "demo:replicaset-scale@running count pods .status.phase>=3", `pods default/web-4k4jl has status.phase "Running", which has no order beside "3"`},
		{"3", "demo:replicaset-scale@running count pods .status.phase>=Running", `"Running" in ".status.phase>=Running" has no order (compare it with = or !=`},
		{"3", "demo:replicaset-scale@running count rs .spec.replicas>5s", `".spec.replicas" is a number, but "5s" is not (write 3 after the >)`},
		{"3", "demo:replicaset-scale@running count nodes .status.allocatable.cpu>5s", `".status.allocatable.cpu" is a quantity, but "5s" is not`},
		{"3", "demo:replicaset-scale@running count pods .metadata.creationTimestamp>5", `".metadata.creationTimestamp" is a time, but "5" is not`},
		{"3", "demo:replicaset-scale@running count pods .spec.hostNetwork>5", `a value of ".spec.hostNetwork" has no order, in ".spec.hostNetwork>5"`},
		{"3", "demo:replicaset-scale@running count rs .spec.replicas=>5", `condition ".spec.replicas=>5" compares twice (write .spec.replicas>5, or with >=)`},
		{"3", "demo:replicaset-scale@running count pods .spec.nodNam!=5", `did you mean "nodeName"?`},
		{"3", "demo:replicaset-scale@running count log who>=3", "who is a name"},
		{"3", "demo:replicaset-scale@running count log need>many", `"many" in "need>many" has no order`},
		{"3", "demo:replicaset-scale@running count log message>3", `which has no order beside "3"`},
		{"3", "demo:replicaset-scale@running count log nede>3", `did you mean "need"?`},
		{"3", "demo:replicaset-scale@running count log >3", `condition ">3" of events`},
		{"3", "demo:replicaset-scale@running count log need!3", `condition "need!3" of events`},
		{"x", "demo:@running", "names no demo"},
		{"x", "demo:a@", "names no mark"},
		{"x", "demo:a@..b", "without its first mark"},
		{"x", "demo:a@b..c", "nothing asked of it"},
		{"x", `demo:a@b event "x`, "a quotation mark is open"},
	} {
		got := hold(t, test.text, test.destination)
		if test.want == "too-few..scale-up" {
			test.want = `the sentence says 15 seconds, time is 14.001 s between marks "too-few" and "scale-up"`
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s (%s):\ngot  %s\nwant %s", test.text, test.destination, got, test.want)
		}
	}
}

func TestNumbersInWords(t *testing.T) {
	for text, want := range map[string]string{
		"eight": "8", "twenty-one Pods": "21", "five hundred": "500", "two thousand five hundred and three": "2500 3", "150,000 Pods": "150000",
		"node-1": "", "the 3 of web-2": "3", "v1.36.3": "", "８ つ": "8", "三十二個": "32", "十万": "100000", "五千": "5000", "1.5 s": "1.5",
		"none": "0", "twice": "2", "one hundred twenty-three": "123", "": "", "hundreds of": "", "a thousand": "", "nodes": "",
		"thousand-pods": "", "何も": "0", "誰も": "0", "ゼロ個": "0", "何もしない 3 つ": "0 3",
	} {
		if got := strings.Join(numbersIn(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"demo:replicaset-scale", "demo:a@b", "demo:a@b..c time", "demo:a@b rs/web .status.readyReplicas",
		`demo:a count pods -l "app in (a, b)" .status.phase!=Running`,
		"demo:a@b count request.send who=* verb=create", "demo:a@b event message", "demo:a@b output",
		"demo:a?w@b count pods .spec.replicas>=3 .metadata.creationTimestamp<5s", "demo:a?w", "demo:a?w@b..c count log need!=3 delay<=20ms", "demo:a?@b@c?d",
		"demo:a count nodes .status.allocatable[a=b].c==1Gi", "demo:a count log x=>3 y==z", "demo:a@b po/x .metadata.labels[a/b].c[",
		"demo:a@b pods/x .status.conditions[Ready].status",
	} {
		f.Add(seed, "five hundred 三 ミリ秒 1.5 s")
	}
	f.Fuzz(func(t *testing.T, destination, text string) {
		run, err := scale()
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse(destination)
		if err != nil {
			return
		}
		again, err := Parse(c.Destination())
		if err != nil || again.Destination() != c.Destination() {
			t.Fatalf("%q is written %q: %v", destination, c.Destination(), err)
		}
		if v, err := c.On(run); err == nil {
			_ = c.Check(v, text)
		}
		durationOf(1).agrees(text)
	})
}
