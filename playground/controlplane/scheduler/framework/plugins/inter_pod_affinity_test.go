package plugins

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
)

// zones are nodes a1, a2 in zone a and b1 in zone b, with Pods on them: "b1 app=web {spec}".
func zones(t *testing.T, pods ...string) []*framework.NodeInfo {
	t.Helper()
	on := map[string][]*corev1.Pod{}
	for i, text := range pods {
		words := strings.SplitN(text+" {}", " ", 3)
		p := labelled(t, words[1], strings.TrimSuffix(words[2], " {}"))
		p.Name, p.UID = fmt.Sprint("there-", i), types.UID(fmt.Sprint("there-", i))
		on[words[0]] = append(on[words[0]], p)
	}
	var list []*framework.NodeInfo
	for _, name := range []string{"a1", "a2", "b1"} {
		n := &corev1.Node{}
		if err := json.Unmarshal([]byte(`{"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}}`), n); err != nil {
			t.Fatal(err)
		}
		n.Name, n.Labels = name, map[string]string{"host": name, "zone": name[:1]}
		list = append(list, framework.NewNodeInfo(n, on[name]...))
	}
	return list
}

// labelled is a Pod; "team/app=web" is in namespace team.
func labelled(t *testing.T, label, spec string) *corev1.Pod {
	t.Helper()
	p := pod(t, spec)
	if ns, rest, ok := strings.Cut(label, "/"); ok {
		p.Namespace, label = ns, rest
	}
	key, value, _ := strings.Cut(label, "=")
	p.Labels = map[string]string{key: value}
	return p
}

func namespaces() []api.Object {
	var out []api.Object
	for name, team := range map[string]string{"default": "blue", "other": "red"} {
		ns := &corev1.Namespace{}
		ns.Name, ns.Labels = name, map[string]string{"team": team}
		out = append(out, ns)
	}
	slices.SortFunc(out, func(a, b api.Object) int { return strings.Compare(a.GetName(), b.GetName()) })
	return out
}

// near is a required term of (anti-)affinity.
func near(kind, app, key, more string) string {
	return fmt.Sprintf(`{"affinity":{%q:{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"app":%q}},"topologyKey":%q%s}]}}}`,
		kind, app, key, more)
}

func TestRequiredInterPodAffinity(t *testing.T) {
	const (
		affinity = "Affinity"
		anti     = "AntiAffinity"
		existing = "existing"
	)
	for _, c := range []struct {
		name, pod, label string
		there            []string
		want             string // per node: fits, or which reason
	}{
		{"near a Pod, in its zone", near("podAffinity", "db", "zone", ""), "app=web", []string{"a1 app=db"}, "fits fits Affinity"},
		{"near a Pod, on its node", near("podAffinity", "db", "host", ""), "app=web", []string{"a1 app=db"}, "fits Affinity Affinity"},
		{"near nobody", near("podAffinity", "db", "zone", ""), "app=web", nil, "Affinity Affinity Affinity"},
		{"near itself, the first", near("podAffinity", "web", "zone", ""), "app=web", nil, "fits fits fits"},
		{"near itself, the second", near("podAffinity", "web", "zone", ""), "app=web", []string{"b1 app=web"}, "Affinity Affinity fits"},
		{"near a Pod of another namespace, which is not meant", near("podAffinity", "db", "zone", ""), "app=web", []string{"a1 other/app=db"},
			"Affinity Affinity Affinity"},
		{"near a Pod of a namespace named", near("podAffinity", "db", "zone", `,"namespaces":["other"]`), "app=web", []string{"a1 other/app=db"},
			"fits fits Affinity"},
		{"near a Pod of namespaces selected", near("podAffinity", "db", "zone", `,"namespaceSelector":{"matchLabels":{"team":"red"}}`), "app=web",
			[]string{"a1 other/app=db", "b1 app=db"}, "fits fits Affinity"},
		{"near a Pod of any namespace", near("podAffinity", "db", "zone", `,"namespaceSelector":{}`), "app=web", []string{"b1 other/app=db"},
			"Affinity Affinity fits"},
		{"a label that no node has", near("podAffinity", "db", "rack", ""), "app=web", []string{"a1 app=db"}, "Affinity Affinity Affinity"},

		{"away from a Pod's zone", near("podAntiAffinity", "db", "zone", ""), "app=web", []string{"a1 app=db"}, "AntiAffinity AntiAffinity fits"},
		{"away from its own kind", near("podAntiAffinity", "web", "host", ""), "app=web", []string{"a1 app=web", "b1 app=web"},
			"AntiAffinity fits AntiAffinity"},
		{"away, where no node has the label", near("podAntiAffinity", "db", "rack", ""), "app=web", []string{"a1 app=db"}, "fits fits fits"},

		{"a Pod that is there wants to be alone in its zone", `{}`, "app=web", []string{"a1 app=db " + near("podAntiAffinity", "web", "zone", "")},
			"existing existing fits"},
		{"it does not mean this one", `{}`, "app=job", []string{"a1 app=db " + near("podAntiAffinity", "web", "zone", "")}, "fits fits fits"},
		{"it means those of another namespace", `{}`, "app=web", []string{"a1 other/app=db " + near("podAntiAffinity", "web", "zone", "")}, "fits fits fits"},
		{"it means those of this namespace too", `{}`, "app=web",
			[]string{"a1 other/app=db " + near("podAntiAffinity", "web", "zone", `,"namespaceSelector":{"matchLabels":{"team":"blue"}}`)},
			"existing existing fits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := zones(t, c.there...)
			f := profile(list, namespaces()...)
			var got []string
			for _, n := range list {
				v := verdict(f, labelled(t, c.label, c.pod), n)
				for text, short := range map[string]string{
					"InterPodAffinity UnschedulableAndUnresolvable: " + ErrReasonAffinityRulesNotMatch: affinity,
					"InterPodAffinity Unschedulable: " + ErrReasonAntiAffinityRulesNotMatch:            anti,
					"InterPodAffinity Unschedulable: " + ErrReasonExistingAntiAffinityRulesNotMatch:    existing,
				} {
					if v == text {
						v = short
					}
				}
				got = append(got, v)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, " "), c.want)
			}
		})
	}
}

// rather is a preferred term.
func rather(kind, app string, weight int) string {
	return fmt.Sprintf(`{"affinity":{%q:{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":%d,"podAffinityTerm":{"labelSelector":{"matchLabels":{"app":%q}},"topologyKey":"zone"}}]}}}`, kind, weight, app)
}

func TestPreferredInterPodAffinity(t *testing.T) {
	hard := int32(50)
	for _, c := range []struct {
		name, pod string
		there     []string
		profile   config.KubeSchedulerProfile
		want      string // weight 2
	}{
		{name: "nobody prefers anything", pod: `{}`, there: []string{"a1 app=db"}, want: "a1=- a2=- b1=-"},
		{name: "a wish to be near", pod: rather("podAffinity", "db", 10), there: []string{"a1 app=db"}, want: "a1=200 a2=200 b1=0"},
		{name: "a wish to be away", pod: rather("podAntiAffinity", "db", 10), there: []string{"a1 app=db"}, want: "a1=0 a2=0 b1=200"},
		{name: "two of one", pod: rather("podAffinity", "db", 10), there: []string{"a1 app=db", "b1 app=db", "b1 app=db"}, want: "a1=0 a2=0 b1=200"},
		{name: "one that is there wishes", pod: `{}`, there: []string{"b1 app=db " + rather("podAffinity", "web", 7)}, want: "a1=0 a2=0 b1=200"},
		{name: "one that is there would rather not", pod: `{}`, there: []string{"b1 app=db " + rather("podAntiAffinity", "web", 7)},
			want: "a1=200 a2=200 b1=0"},
		{name: "one that is there requires it: 1 against a wish of 2", pod: `{}`,
			there: []string{"a1 app=db " + near("podAffinity", "web", "zone", ""), "b1 app=db " + rather("podAffinity", "web", 2)}, want: "a1=0 a2=0 b1=200"},
		{name: "hardPodAffinityWeight 50 against a wish of 2", pod: `{}`, profile: config.KubeSchedulerProfile{PluginConfig: []config.PluginConfig{
			{Name: InterPodAffinity, Args: json.RawMessage(fmt.Sprintf(`{"hardPodAffinityWeight":%d}`, hard))}}},
			there: []string{"a1 app=db " + near("podAffinity", "web", "zone", ""), "b1 app=db " + rather("podAffinity", "web", 2)}, want: "a1=200 a2=200 b1=0"},
		{name: "wishes of those that are there do not count", pod: `{}`, profile: config.KubeSchedulerProfile{PluginConfig: []config.PluginConfig{
			{Name: InterPodAffinity, Args: json.RawMessage(`{"ignorePreferredTermsOfExistingPods":true}`)}}},
			there: []string{"b1 app=db " + rather("podAffinity", "web", 7)}, want: "a1=- a2=- b1=-"},
		// 29 of 50: float64 says 57.99…
		{name: "parts of the way are cut off as upstream does", pod: rather("podAffinity", "db", 1), want: "a1=200 a2=200 b1=0",
			there: []string{"a1 app=db"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := zones(t, c.there...)
			if got := scores(t, configured(c.profile, list, namespaces()...), labelled(t, "app=web", c.pod), list, InterPodAffinity); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	list := []framework.NodeScore{{Name: "a", Score: 0}, {Name: "b", Score: 29}, {Name: "c", Score: 50}}
	(&interPodAffinity{}).NormalizeScore(nil, nil, nil, list)
	if list[1].Score != 57 {
		t.Errorf("29 of 50 become %d, want 57", list[1].Score)
	}
}

// TestCountsFollowPods: thinking Pods away and back gives the same as counting anew.
func TestCountsFollowPods(t *testing.T) {
	for _, spec := range []string{
		near("podAffinity", "db", "zone", ""), near("podAntiAffinity", "db", "zone", ""), `{}`,
		`{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"db"}}}]}`,
	} {
		all := []string{"a1 app=db", "a2 app=web " + near("podAntiAffinity", "web", "host", ""), "b1 app=db",
			"b1 app=db " + near("podAffinity", "db", "zone", "")}
		full, fewer := zones(t, all...), zones(t, all[0], all[1])
		incoming := labelled(t, "app=web", spec)
		f := profile(full, namespaces()...)
		state := framework.NewCycleState()
		if _, s, _ := f.RunPreFilterPlugins(nil, state, incoming); !s.IsSuccess() {
			t.Fatal(s.Message())
		}
		thought, copied := full[2].Snapshot(), state.Clone()
		for len(thought.Pods) > 0 {
			pi := thought.Pods[0]
			if err := thought.RemovePod(pi.Pod.UID); err != nil {
				t.Fatal(err)
			}
			if s := f.RunPreFilterExtensionRemovePod(nil, copied, incoming, pi, thought); !s.IsSuccess() {
				t.Fatal(s.Message())
			}
		}
		g := profile(fewer, namespaces()...)
		for i, n := range []*framework.NodeInfo{full[0], full[1], thought} {
			got := f.RunFilterPlugins(nil, copied, incoming, n).Message()
			want := strings.TrimPrefix(verdict(g, incoming, fewer[i]), "fits")
			if _, reason, ok := strings.Cut(want, ": "); ok {
				want = reason
			}
			if got != want {
				t.Errorf("%s, node %s without two Pods: %q, want %q", spec, n.Name(), got, want)
			}
			if before, after := verdict(f, incoming, full[i]), statusOf(f, state, incoming, full[i]); before != after {
				t.Errorf("%s: the copy changed the state: %q, then %q", spec, before, after)
			}
		}
	}
}

func statusOf(f *runtime.Framework, state *framework.CycleState, p *corev1.Pod, n *framework.NodeInfo) string {
	s := f.RunFilterPlugins(nil, state, p, n)
	if s.IsSuccess() {
		return "fits"
	}
	return fmt.Sprintf("%s %s: %s", s.Plugin(), s.Code(), s.Message())
}

func TestInterPodAffinityHints(t *testing.T) {
	bound := func(label, node, spec string) *corev1.Pod {
		p := labelled(t, label, spec)
		p.UID, p.Spec.NodeName = "another", node
		return p
	}
	nodeWith := func(label string) *corev1.Node {
		n := &corev1.Node{}
		if key, value, ok := strings.Cut(label, "="); ok {
			n.Labels = map[string]string{key: value}
		}
		return n
	}
	wants, hates := near("podAffinity", "db", "zone", ""), near("podAntiAffinity", "db", "zone", "")
	for _, c := range []struct {
		name, pod string
		old, new  api.Object
		want      string
	}{
		{"a Pod that it wants near is bound", wants, nil, bound("app=db", "a1", `{}`), "Queue"},
		{"a Pod of no interest is bound", wants, nil, bound("app=job", "a1", `{}`), "QueueSkip"},
		{"a Pod that it wants near is made", wants, nil, bound("app=db", "", `{}`), "QueueSkip"},
		{"a Pod that it hates goes", hates, bound("app=db", "a1", `{}`), nil, "Queue"},
		{"another goes", hates, bound("app=job", "a1", `{}`), nil, "QueueSkip"},
		{"one that hates it goes", `{}`, bound("app=db", "a1", near("podAntiAffinity", "web", "zone", "")), nil, "Queue"},
		{"a Pod becomes one that it wants near", wants, bound("app=job", "a1", `{}`), bound("app=db", "a1", `{}`), "Queue"},
		{"a Pod becomes one that it does not hate", hates, bound("app=db", "a1", `{}`), bound("app=job", "a1", `{}`), "Queue"},
		{"a node with the label comes", wants, nil, nodeWith("zone=a"), "Queue"},
		{"a node without it comes", wants, nil, nodeWith(""), "QueueSkip"},
		{"a node without it comes, for one that hates", hates, nil, nodeWith(""), "Queue"},
		{"a node moves", wants, nodeWith("zone=a"), nodeWith("zone=b"), "Queue"},
		{"a node loses the label, for one that hates", hates, nodeWith("zone=a"), nodeWith(""), "Queue"},
		{"a node gets it, for one that hates", hates, nodeWith(""), nodeWith("zone=b"), "QueueSkip"},
	} {
		pl := &interPodAffinity{}
		hint := pl.isSchedulableAfterPodChange
		if _, isNode := c.new.(*corev1.Node); isNode {
			hint = pl.isSchedulableAfterNodeChange
		}
		if got := hint(labelled(t, "app=web", c.pod), c.old, c.new).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
