//go:build !js || cel

package scene

import (
	"slices"
	"strings"

	"kubewalk/playground/trace"
)

// elsewhere is what is seen of other clusters: of each node, by its name, whose it is, its state, and the states of its Pods by their keys.
type elsewhere map[string]*elsewhereNode

type elsewhereNode struct {
	cluster, state string
	pods           map[string]string
}

func (e *elsewhere) change(c trace.Cell, state string) {
	if *e == nil {
		*e = elsewhere{}
	}
	node, pod, isPod := strings.Cut(c.Key, "/")
	n := (*e)[node]
	if n == nil {
		n = &elsewhereNode{cluster: c.Owner, pods: map[string]string{}}
		(*e)[node] = n
	}
	switch {
	case !isPod:
		n.state = state
	case state == "":
		delete(n.pods, pod)
	default:
		n.pods[pod] = state
	}
	if n.state == "" && len(n.pods) == 0 {
		delete(*e, node)
	}
}

// nodeState is the state of a node, and whose it is; "" where it is not known.
func (e elsewhere) nodeState(name string) (state string, says words) {
	switch n := e[name]; {
	case n == nil || n.state == "":
		return "", words{}
	case n.state == "Ready":
		return "ready", plain(n.cluster)
	case n.state == "Up": // it has no Node yet
		return "not-ready", plain(n.cluster)
	default:
		return "not-ready", plain(n.cluster + " " + n.state)
	}
}

var elsewhereStates = map[string]string{"Ready": PodReady, "Running": PodRunning, "Pending": PodPending, "Terminating": PodTerminating,
	"Succeeded": PodSucceeded, "Failed": PodFailed}

// has tells whether a node belongs to another cluster: it does not speak to the API server of this one.
func (e elsewhere) has(node string) bool { return e[node] != nil }

// joined tells whether a node has joined another cluster: it is there as long as its Node is, without power, too.
func (e elsewhere) joined(node string) bool {
	n := e[node]
	return n != nil && n.state != "" && n.state != "Up"
}

// drawElsewhere draws the Pods of a node that belongs to another cluster: those of the control plane, and those that somebody wants there.
func (v *surroundings) drawElsewhere(put func(Shape), node string, r rect) {
	n := v.elsewhere[node]
	if n == nil || len(n.pods) == 0 || len(v.around.tiles) == 0 {
		return
	}
	in := v.around.inNode
	keys := slices.DeleteFunc(sortedKeys(n.pods), func(key string) bool {
		return strings.HasPrefix(key, "kube-system/") && !strings.HasSuffix(key, "-"+node)
	})
	g := newGrid(rect{r.x + in.x, r.y + in.y, r.w - in.x - in.w, r.h - in.y - in.h}, len(keys), v.around.tiles...)
	for i, key := range keys {
		if at, ok := g.at(i); ok {
			called := names(key)[1:]
			if name, static := strings.CutSuffix(bareName(key), "-"+node); static {
				called = []string{name, strings.TrimPrefix(name, "kube-"), name[strings.LastIndexByte(name, '-')+1:], shortStatic[name]}
			}
			put(tile(Shape{ID: "elsewhere/" + node + "/" + key, Role: RolePod, State: elsewhereStates[n.pods[key]]}, at, called...))
		}
	}
}
