package plugins

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// listed is a snapshot's list of nodes.
type listed struct {
	framework.SharedLister
	nodes   []*framework.NodeInfo
	version int64
	changed []int
}

func (l *listed) List() []*framework.NodeInfo { return l.nodes }

func (l *listed) Changed() (version int64, changed []int) { return l.version, l.changed }

// What is remembered of the last snapshot is what a count of all nodes gives, whatever changed in between.
func TestRememberedDomainsAreCounted(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	var nodes []*framework.NodeInfo
	grow := func() {
		n := node(t, fmt.Sprint("n", len(nodes)), fmt.Sprintf(`{"metadata":{"labels":{"zone":"z%d"}}}`, len(nodes)%3))
		if len(nodes)%7 == 0 {
			n.Node().Labels = nil
		}
		nodes = append(nodes, n)
	}
	for range 20 {
		grow()
	}
	selectors := []labels.Selector{}
	for _, app := range []string{"a", "b"} {
		selectors = append(selectors, labels.SelectorFromSet(labels.Set{"app": app}))
	}
	pl, uid, all := &podTopologySpread{}, 0, &listed{version: 2}
	for step := range 400 {
		i := chance.IntN(len(nodes))
		changed := nodes[i].Snapshot()
		if all.version, all.changed = all.version+1, []int{i}; chance.IntN(8) == 0 {
			all.version, all.changed = all.version+1, nil // listed anew
		}
		switch chance.IntN(6) {
		case 0:
			if len(changed.Pods) > 0 {
				if err := changed.RemovePod(changed.Pods[0].Pod.UID); err != nil {
					t.Fatal(err)
				}
			}
		case 1: // another zone
			n := changed.Node().DeepCopy()
			n.Labels = map[string]string{"zone": fmt.Sprint("z", chance.IntN(4))}
			changed.SetNode(n)
		case 2:
			grow()
			all.version, all.changed = all.version+1, nil
		default:
			uid++
			p := pod(t, `{}`)
			p.UID, p.Labels = types.UID(fmt.Sprint(uid)), map[string]string{"app": string("abc"[chance.IntN(3)])}
			p.Namespace = []string{"default", "other"}[chance.IntN(2)]
			if chance.IntN(4) == 0 {
				p.DeletionTimestamp = &metav1.Time{}
			}
			changed.AddPodInfo(framework.NewPodInfo(p))
		}
		nodes[i] = changed
		asked := pod(t, `{}`)
		asked.Namespace = []string{"default", "other"}[chance.IntN(2)]
		c := &spreadConstraint{topologyKey: "zone", selector: selectors[chance.IntN(2)]}
		if chance.IntN(3) == 0 {
			c.topologyKey = corev1.LabelHostname
		}
		c.text = c.selector.String()
		want := map[string]int64{}
		for _, n := range nodes {
			want[n.Node().Labels[c.topologyKey]] += c.count(n.Snapshot(), asked.Namespace)
		}
		all.nodes = append([]*framework.NodeInfo(nil), nodes...)
		got := pl.domainsOf(c, asked, all)
		none := func(_ string, n int64) bool { return n == 0 }
		got = maps.Clone(got)
		maps.DeleteFunc(got, none)
		maps.DeleteFunc(want, none)
		if !maps.Equal(got, want) {
			t.Fatalf("step %d, %s by %s: %v, want %v", step, c.text, c.topologyKey, got, want)
		}
	}
}
