package structured

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
)

// selects is a little language in place of CEL: "attribute=value".
func selects(expression string) (Selector, error) {
	name, value, ok := strings.Cut(expression, "=")
	if !ok {
		return nil, errors.New("no expression")
	}
	return func(_ string, d *resourcev1.Device) (bool, error) {
		a, has := d.Attributes[resourcev1.QualifiedName(name)]
		if !has {
			return false, fmt.Errorf("no such key: %s", name)
		}
		return *a.StringValue == value, nil
	}, nil
}

// slice offers devices of a pool: "a", or "a:{…}" with more of the device. of is what stands in the spec besides.
func slice(name, pool string, generation, count int, of string, devices ...string) *resourcev1.ResourceSlice {
	var list []string
	for _, d := range devices {
		id, more, _ := strings.Cut(d, ":")
		if more != "" {
			more = "," + more
		}
		list = append(list, fmt.Sprintf(`{"name":%q%s}`, id, more))
	}
	return read[resourcev1.ResourceSlice](fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"driver":"d",
		"pool":{"name":%q,"generation":%d,"resourceSliceCount":%d},%s,"devices":[%s]}}`, name, pool, generation, count, of, strings.Join(list, ",")))
}

func read[T any](text string) *T {
	out := new(T)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		panic(err.Error() + ": " + text)
	}
	return out
}

const (
	local     = `"nodeName":"n"`
	elsewhere = `"nodeName":"m"`
	green     = `"attributes":{"color":{"string":"green"},"slot":{"int":1}}`
	blue      = `"attributes":{"color":{"string":"blue"},"slot":{"int":2}}`
)

// one is a request for a number of devices.
func one(name, more string) string {
	return fmt.Sprintf(`{"name":%q,"exactly":{"deviceClassName":"c","allocationMode":"ExactCount",%s}}`, name, more)
}

// Upstream: structured/internal/allocatortesting/allocator_testing.go, whose cases these are some of.
func TestAllocate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		slices []*resourcev1.ResourceSlice
		claims []string // of requests, and what may stand behind them
		taken  string
		want   string // request=pool/device for each device, claims are apart by ";"; "" is nothing; or an error
		nodes  string // of the first claim
	}{
		{"one", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")},
			[]string{`[` + one("r", `"count":1`) + `]`}, "", "r=p/a", "metadata.name In [n]"},
		{"the order of pools and slices", []*resourcev1.ResourceSlice{slice("z", "p", 1, 2, local, "a"), slice("y", "p", 1, 2, local, "b"),
			slice("x", "o", 1, 1, local, "c")}, []string{`[` + one("r", `"count":3`) + `]`}, "", "r=o/c r=p/b r=p/a", ""},
		{"one that is taken", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")}, []string{`[` + one("r", `"count":1`) + `]`},
			"d/p/a", "r=p/b", ""},
		{"an administrator", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")}, []string{`[` + one("r", `"count":1,"adminAccess":true`) + `]`},
			"d/p/a", "r=p/a!", ""},
		{"two claims", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")},
			[]string{`[` + one("r", `"count":1`) + `]`, `[` + one("r", `"count":1`) + `]`}, "", "r=p/a;r=p/b", ""},
		{"too few", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")}, []string{`[` + one("r", `"count":3`) + `]`}, "", "", ""},
		{"another node's", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, elsewhere, "a")}, []string{`[` + one("r", `"count":1`) + `]`}, "", "", ""},
		{"any node's", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, `"allNodes":true`, "a")},
			[]string{`[` + one("r", `"count":1`) + `]`}, "", "r=p/a", "any"},
		{"nodes with a label", []*resourcev1.ResourceSlice{
			slice("s", "p", 1, 1, `"nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["east"]}]}]}`, "a")},
			[]string{`[` + one("r", `"count":1`) + `]`}, "", "r=p/a", "zone In [east]"},
		{"each device its nodes", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, `"perDeviceNodeSelection":true`, `a:"nodeName":"m"`, `b:"nodeName":"n"`)},
			[]string{`[` + one("r", `"count":1`) + `]`}, "", "r=p/b", "metadata.name In [n]"},
		{"the newest generation", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a"), slice("t", "p", 2, 1, local, "b")},
			[]string{`[` + one("r", `"count":2`) + `]`}, "", "", ""},
		{"a pool that is not complete", []*resourcev1.ResourceSlice{slice("s", "p", 1, 2, local, "a")}, []string{`[` + one("r", `"count":1`) + `]`}, "", "", ""},
		{"the rest of the pool is elsewhere", []*resourcev1.ResourceSlice{slice("s", "p", 1, 2, local, "a"), slice("t", "p", 1, 2, elsewhere, "b")},
			[]string{`[` + one("r", `"count":1`) + `]`}, "", "r=p/a", ""},
		{"replaced elsewhere", []*resourcev1.ResourceSlice{slice("s", "p", 1, 2, local, "a"), slice("t", "p", 2, 2, elsewhere, "b")},
			[]string{`[` + one("r", `"count":1`) + `]`}, "", "", ""},
		{"a name that is there twice", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "a")}, []string{`[` + one("r", `"count":1`) + `]`}, "",
			"invalid resource pools were encountered", ""},
		{"a selector", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a:"+green, "b:"+blue)},
			[]string{`[` + one("r", `"count":1,"selectors":[{"cel":{"expression":"color=blue"}}]`) + `]`}, "", "r=p/b", ""},
		{"a selector that fails", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a")},
			[]string{`[` + one("r", `"count":1,"selectors":[{"cel":{"expression":"color=blue"}}]`) + `]`}, "",
			"claim ns/0: selector #0: CEL runtime error: no such key: color", ""},
		{"all", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a:"+green, "b:"+blue, "c:"+green)},
			[]string{`[{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All","selectors":[{"cel":{"expression":"color=green"}}]}}]`},
			"", "r=p/a r=p/c", ""},
		{"all, and one is taken", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")},
			[]string{`[{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All"}}]`}, "d/p/b", "", ""},
		{"all of none", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, elsewhere, "b")},
			[]string{`[{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All"}}]`}, "", "", ""},
		{"all, while the pool changes", []*resourcev1.ResourceSlice{slice("s", "p", 1, 2, local, "b")},
			[]string{`[{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All"}}]`}, "",
			"claim ns/0, request r: asks for all devices, but resource pool d/p is currently being updated", ""},
		{"the same attribute, which takes a step back", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a:"+green, "b:"+blue, "c:"+blue)},
			[]string{`[` + one("r", `"count":1`) + `,` + one("q", `"count":1`) + `],"constraints":[{"requests":["r","q"],"matchAttribute":"d/color"}]`}, "",
			"r=p/b q=p/c", ""},
		{"another attribute", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a:"+green, "b:"+green, "c:"+blue)},
			[]string{`[` + one("r", `"count":2`) + `],"constraints":[{"distinctAttribute":"d/slot"}]`}, "", "r=p/a r=p/c", ""},
		{"a constraint for another request", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a:"+green, "b:"+blue)},
			[]string{`[` + one("r", `"count":1`) + `,` + one("q", `"count":1`) + `],"constraints":[{"requests":["q"],"matchAttribute":"d/color"}]`}, "",
			"r=p/a q=p/b", ""},
		{"the second alternative", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")},
			[]string{`[{"name":"r","firstAvailable":[{"name":"x","deviceClassName":"c","allocationMode":"ExactCount","count":3},
				{"name":"y","deviceClassName":"c","allocationMode":"ExactCount","count":2}]}]`}, "", "r/y=p/a r/y=p/b", ""},
		{"an alternative that leaves enough for the next request", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a", "b")},
			[]string{`[{"name":"r","firstAvailable":[{"name":"x","deviceClassName":"c","allocationMode":"ExactCount","count":2},
				{"name":"y","deviceClassName":"c","allocationMode":"ExactCount","count":1}]},` + one("q", `"count":1`) + `]`}, "", "r/y=p/a q=p/b", ""},
		{"a taint", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, `a:"taints":[{"key":"k","value":"v","effect":"NoExecute"}]`, "b")},
			[]string{`[` + one("r", `"count":1,"tolerations":[{"key":"k","operator":"Equal","value":"w"}]`) + `]`}, "", "r=p/b", ""},
		{"a taint that is tolerated", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, `a:"taints":[{"key":"k","value":"v","effect":"NoExecute"}]`, "b")},
			[]string{`[` + one("r", `"count":1,"tolerations":[{"key":"k","operator":"Exists"}]`) + `]`}, "", "r=p/a", ""},
		{"a taint without effect", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, `a:"taints":[{"key":"k","effect":"None"}]`)},
			[]string{`[` + one("r", `"count":1`) + `]`}, "", "r=p/a", ""},
		{"capacity", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, `a:"capacity":{"memory":{"value":"1Gi"}}`,
			`b:"capacity":{"memory":{"value":"4Gi"}}`)},
			[]string{`[` + one("r", `"count":1,"capacity":{"requests":{"memory":"2Gi"}}`) + `]`}, "", "r=p/b", ""},
		{"counters", []*resourcev1.ResourceSlice{
			slice("s", "p", 1, 2, `"allNodes":true,"sharedCounters":[{"name":"m","counters":{"g":{"value":"8"}}}]`),
			slice("t", "p", 1, 2, local, `a:"consumesCounters":[{"counterSet":"m","counters":{"g":{"value":"6"}}}]`,
				`b:"consumesCounters":[{"counterSet":"m","counters":{"g":{"value":"4"}}}]`,
				`c:"consumesCounters":[{"counterSet":"m","counters":{"g":{"value":"4"}}}]`)},
			[]string{`[` + one("r", `"count":2`) + `]`}, "", "r=p/b r=p/c", ""},
		{"counters that others have", []*resourcev1.ResourceSlice{
			slice("s", "p", 1, 2, `"allNodes":true,"sharedCounters":[{"name":"m","counters":{"g":{"value":"8"}}}]`),
			slice("t", "p", 1, 2, local, `a:"consumesCounters":[{"counterSet":"m","counters":{"g":{"value":"6"}}}]`,
				`b:"consumesCounters":[{"counterSet":"m","counters":{"g":{"value":"4"}}}]`)},
			[]string{`[` + one("r", `"count":1`) + `]`}, "d/p/a", "", ""},
		{"more than fit into a status", []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, "a")}, []string{`[` + one("r", `"count":33`) + `]`}, "",
			"claim ns/0: number of requested devices 33 exceeds the claim limit of 32", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var claims []*resourcev1.ResourceClaim
			for i, text := range tt.claims {
				claims = append(claims, read[resourcev1.ResourceClaim](fmt.Sprintf(`{"metadata":{"namespace":"ns","name":"%d"},"spec":{"devices":{"requests":%s}}}`,
					i, text)))
			}
			a := &Allocator{Slices: tt.slices, Compile: selects, Allocated: map[DeviceID]bool{},
				Class: func(name string) (*resourcev1.DeviceClass, error) {
					return read[resourcev1.DeviceClass](`{"metadata":{"name":"c"}}`), nil
				}}
			if parts := strings.Split(tt.taken, "/"); len(parts) == 3 {
				a.Allocated[DeviceID{parts[0], parts[1], parts[2]}] = true
			}
			node := &corev1.Node{}
			node.Name, node.Labels = "n", map[string]string{"zone": "east"}
			for range 2 { // what a search leaves behind must not matter to the next one
				results, err := a.Allocate(node, claims)
				if got := text(results, err); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
				if tt.nodes != "" && nodesOf(results[0]) != tt.nodes {
					t.Errorf("nodes %s", nodesOf(results[0]))
				}
			}
		})
	}
}

func text(results []*resourcev1.AllocationResult, err error) string {
	if err != nil {
		return err.Error()
	}
	var claims []string
	for _, r := range results {
		var devices []string
		for _, d := range r.Devices.Results {
			s := d.Request + "=" + d.Pool + "/" + d.Device
			if d.AdminAccess != nil {
				s += "!"
			}
			devices = append(devices, s)
		}
		claims = append(claims, strings.Join(devices, " "))
	}
	return strings.Join(claims, ";")
}

func nodesOf(r *resourcev1.AllocationResult) string {
	if r.NodeSelector == nil {
		return "any"
	}
	term := r.NodeSelector.NodeSelectorTerms[0]
	of := append(term.MatchFields, term.MatchExpressions...)[0]
	return fmt.Sprint(of.Key, " ", of.Operator, " ", of.Values)
}

// A search that would take for ever ends.
func TestTooManySteps(t *testing.T) {
	var devices []string
	for i := range 40 {
		devices = append(devices, fmt.Sprintf("d%d:%s", i, green))
	}
	claim := read[resourcev1.ResourceClaim](`{"spec":{"devices":{"requests":[` + one("r", `"count":20`) + `,` +
		one("q", `"count":1,"selectors":[{"cel":{"expression":"color=blue"}}]`) + `]}}}`)
	a := &Allocator{Slices: []*resourcev1.ResourceSlice{slice("s", "p", 1, 1, local, devices...)}, Compile: selects,
		Class: func(string) (*resourcev1.DeviceClass, error) { return &resourcev1.DeviceClass{}, nil }}
	node := &corev1.Node{}
	node.Name = "n"
	if _, err := a.Allocate(node, []*resourcev1.ResourceClaim{claim}); !errors.Is(err, ErrTooManySteps) {
		t.Error(err)
	}
}
