package extender

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// answers is an extender that says the same always, and remembers what it was asked.
type answers struct {
	status  int
	text    string
	err     error
	url     string
	asked   map[string]json.RawMessage
	timeout time.Duration
}

func (a *answers) post(_ *sim.Proc, url string, body []byte, timeout time.Duration) (int, []byte, error) {
	a.url, a.asked, a.timeout = url, nil, timeout
	if err := json.Unmarshal(body, &a.asked); err != nil {
		panic(err)
	}
	return a.status, []byte(a.text), a.err
}

func nodes(names ...string) (out []*framework.NodeInfo) {
	for _, name := range names {
		n := &corev1.Node{}
		n.Name = name
		out = append(out, framework.NewNodeInfo(n))
	}
	return out
}

func names(list []*framework.NodeInfo) (out []string) {
	for _, n := range list {
		out = append(out, n.Name())
	}
	return out
}

const prefix = "http://10.96.0.50/scheduler/"

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		name        string
		capable     bool
		answer      answers
		left        []string
		failed, err string
	}{
		{"names", true, answers{status: 200, text: `{"NodeNames":["b"],"FailedNodes":{"a":"no"}}`}, []string{"b"}, "no", ""},
		{"nodes", false, answers{status: 200, text: `{"Nodes":{"items":[{"metadata":{"name":"a"}}]}}`}, []string{"a"}, "", ""},
		{"an error of its own", true, answers{status: 200, text: `{"Error":"the inventory is closed"}`}, nil, "", "the inventory is closed"},
		{"a code", true, answers{status: 500, text: "oops"}, nil, "", "failed filter with extender at URL http://10.96.0.50/scheduler/filter, code 500"},
		{"nobody there", true, answers{err: errors.New("dial tcp 10.96.0.50:80: connect: connection refused")}, nil, "",
			`Post "http://10.96.0.50/scheduler/filter": dial tcp 10.96.0.50:80: connect: connection refused`},
		{"a node that nobody asked about", true, answers{status: 200, text: `{"NodeNames":["c"]}`}, nil, "",
			`extender "http://10.96.0.50/scheduler/" claims a filtered node "c" which is not found in the input node list`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := New(config.Extender{URLPrefix: prefix, FilterVerb: "filter", NodeCacheCapable: c.capable}, c.answer.post)
			left, failed, _, err := e.Filter(nil, &corev1.Pod{}, nodes("a", "b"))
			said := ""
			if err != nil {
				said = err.Error()
			}
			if !slices.Equal(names(left), c.left) || failed["a"] != c.failed || said != c.err {
				t.Errorf("left %v, failed %v, %s", names(left), failed, said)
			}
			if c.answer.url != prefix+"filter" || c.answer.timeout != DefaultExtenderTimeout {
				t.Errorf("asked %s, for %s", c.answer.url, c.answer.timeout)
			}
			if got := string(c.answer.asked["NodeNames"]); c.capable && got != `["a","b"]` || !c.capable && got != "null" {
				t.Errorf("asked with names %s", got)
			}
		})
	}
}

func TestPrioritizeAndBind(t *testing.T) {
	a := &answers{status: 200, text: `[{"Host":"a","Score":7}]`}
	e := New(config.Extender{URLPrefix: prefix, PrioritizeVerb: "prioritize", Weight: 3, BindVerb: "bind", HTTPTimeout: config.Duration(time.Second)}, a.post)
	list, weight, err := e.Prioritize(nil, &corev1.Pod{}, nodes("a"))
	if err != nil || weight != 3 || len(list) != 1 || list[0] != (framework.HostPriority{Host: "a", Score: 7}) || a.timeout != time.Second {
		t.Errorf("%v × %d, %v", list, weight, err)
	}
	a.text = `{"Error":"not there"}`
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace = "p", "default"
	if err := e.Bind(nil, pod, "a"); err == nil || err.Error() != "not there" || string(a.asked["Node"]) != `"a"` || string(a.asked["PodName"]) != `"p"` {
		t.Errorf("%v of %s", err, a.asked)
	}
}

func TestIsInterested(t *testing.T) {
	e := New(config.Extender{ManagedResources: []config.ExtenderManagedResource{{Name: "example.com/licence"}}}, nil)
	asks := func(name corev1.ResourceName) *corev1.Pod {
		pod := &corev1.Pod{}
		pod.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{name: resource.MustParse("1")}}}}
		return pod
	}
	if !e.IsInterested(asks("example.com/licence")) || e.IsInterested(asks("cpu")) {
		t.Error("it is asked about what it does not manage, or not about what it does")
	}
	if !New(config.Extender{}, nil).IsInterested(asks("cpu")) {
		t.Error("who manages nothing is asked about every Pod")
	}
}
