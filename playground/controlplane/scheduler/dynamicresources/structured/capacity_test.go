package structured

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/types"
)

// shared is a device of which several may have a part.
func shared(name, capacity, more string) string {
	return name + `:"allowMultipleAllocations":true,"capacity":{"memory":{"value":"10Gi"` + capacity + `}}` + more
}

const (
	steps  = `,"requestPolicy":{"default":"1Gi","validRange":{"min":"1Gi","max":"8Gi","step":"2Gi"}}`
	values = `,"requestPolicy":{"default":"2Gi","validValues":["2Gi","4Gi"]}`
)

func memory(of string) string { return `"count":1,"capacity":{"requests":{"memory":"` + of + `"}}` }

// Upstream: structured/internal/allocatortesting/allocator_testing.go, "consumable-capacity-*", and consumable_capacity_test.go.
func TestConsumedCapacity(t *testing.T) {
	counted := slice("z", "p", 1, 2, `"allNodes":true,"sharedCounters":[{"name":"m","counters":{"g":{"value":"6"}}}]`)
	takes := `,"consumesCounters":[{"counterSet":"m","counters":{"g":{"value":"6"}}}]`
	for _, tt := range []struct {
		name    string
		devices []string
		claims  []string
		used    string // of a, which is shared
		want    string // request=device(what is consumed); "" is nothing
	}{
		{"all of it is what nobody asks for less of", []string{shared("a", "", "")}, []string{one("r", `"count":1`)}, "", "r=a(10Gi)"},
		{"as much as is asked for", []string{shared("a", "", "")}, []string{one("r", memory("3Gi"))}, "", "r=a(3Gi)"},
		{"what is usual", []string{shared("a", values, "")}, []string{one("r", `"count":1`)}, "", "r=a(2Gi)"},
		{"rounded up to a value", []string{shared("a", values, "")}, []string{one("r", memory("3Gi"))}, "", "r=a(4Gi)"},
		{"more than any value", []string{shared("a", values, "")}, []string{one("r", memory("5Gi"))}, "", ""},
		{"rounded up to the least", []string{shared("a", steps, "")}, []string{one("r", memory("1Mi"))}, "", "r=a(1Gi)"},
		{"rounded up to a step", []string{shared("a", steps, "")}, []string{one("r", memory("2Gi"))}, "", "r=a(3Gi)"},
		{"more than the most", []string{shared("a", steps, "")}, []string{one("r", memory("8Gi"))}, "", ""},
		{"nothing of that name", []string{shared("a", "", "")}, []string{one("r", `"count":1,"capacity":{"requests":{"cores":"1"}}`)}, "", ""},
		{"two claims have parts of one device", []string{shared("a", "", ""), shared("b", "", "")},
			[]string{one("r", memory("6Gi")), one("r", memory("4Gi"))}, "", "r=a(6Gi);r=a(4Gi)"},
		{"what does not fit any more goes elsewhere", []string{shared("a", "", ""), shared("b", "", "")},
			[]string{one("r", memory("6Gi")), one("r", memory("5Gi"))}, "", "r=a(6Gi);r=b(5Gi)"},
		{"others have some of it", []string{shared("a", "", ""), shared("b", "", "")}, []string{one("r", memory("6Gi"))}, "5Gi", "r=b(6Gi)"},
		{"a request takes each device once", []string{shared("a", "", ""), shared("b", "", "")},
			[]string{one("r", `"count":2,"capacity":{"requests":{"memory":"1Gi"}}`)}, "", "r=a(1Gi) r=b(1Gi)"},
		{"two requests take one device", []string{shared("a", "", "")}, []string{one("r", memory("1Gi")) + "," + one("q", memory("2Gi"))}, "",
			"r=a(1Gi) q=a(2Gi)"},
		{"too many parts of one device", []string{shared("a", "", "")}, []string{one("r", memory("6Gi")) + "," + one("q", memory("6Gi"))}, "", ""},
		{"a device that is not shared is allocated once", []string{`a:"capacity":{"memory":{"value":"10Gi"}}`},
			[]string{one("r", memory("1Gi")), one("r", memory("1Gi"))}, "", ""},
		{"a device that is not shared, with enough", []string{`a:"capacity":{"memory":{"value":"1Gi"}}`, `b:"capacity":{"memory":{"value":"4Gi"}}`},
			[]string{one("r", memory("2Gi"))}, "", "r=b()"},
		{"all that have enough", []string{`a:"capacity":{"memory":{"value":"1Gi"}}`, shared("b", "", ""), shared("c", "", "")},
			[]string{`{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"All","capacity":{"requests":{"memory":"2Gi"}}}}`}, "",
			"r=b(2Gi) r=c(2Gi)"},
		{"a device that is shared consumes counters once", []string{shared("a", "", takes)}, []string{one("r", memory("1Gi")), one("r", memory("2Gi"))}, "",
			"r=a(1Gi);r=a(2Gi)"},
		{"its counters are consumed already", []string{shared("a", "", takes), shared("b", "", takes)}, []string{one("r", memory("6Gi"))}, "5Gi", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var claims []*resourcev1.ResourceClaim
			for i, text := range tt.claims {
				claims = append(claims, read[resourcev1.ResourceClaim](fmt.Sprintf(`{"metadata":{"namespace":"ns","name":"%d"},"spec":{"devices":{"requests":[%s]}}}`,
					i, text)))
			}
			n := 0
			a := &Allocator{Slices: []*resourcev1.ResourceSlice{slice("s", "p", 1, 2, local, tt.devices...), counted}, Compile: selects,
				Class: func(string) (*resourcev1.DeviceClass, error) {
					return read[resourcev1.DeviceClass](`{"metadata":{"name":"c"}}`), nil
				},
				ShareID: func() types.UID { n++; return types.UID(fmt.Sprint(n)) }}
			if tt.used != "" {
				id := DeviceID{"d", "p", "a"}
				a.Shared, a.Consumed = map[DeviceID]bool{id: true}, map[DeviceID]Capacity{id: {"memory": resource.MustParse(tt.used)}}
			}
			node := &corev1.Node{}
			node.Name = "n"
			for range 2 { // what a search leaves behind must not matter to the next one
				results, err := a.Allocate(node, claims)
				if err != nil {
					t.Fatal(err)
				}
				if got := consumption(t, results); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

// consumption tells what is consumed, and that each part of a device has a name of its own.
func consumption(t *testing.T, results []*resourcev1.AllocationResult) string {
	var claims []string
	names := map[types.UID]bool{}
	for _, r := range results {
		var devices []string
		for _, d := range r.Devices.Results {
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(d.ConsumedCapacity)) {
				of := d.ConsumedCapacity[name]
				parts = append(parts, of.String())
			}
			if len(parts) > 0 != (d.ShareID != nil) || d.ShareID != nil && names[*d.ShareID] {
				t.Errorf("share %v of %v", d.ShareID, d.ConsumedCapacity)
			}
			if d.ShareID != nil {
				names[*d.ShareID] = true
			}
			devices = append(devices, d.Request+"="+d.Device+"("+strings.Join(parts, ",")+")")
		}
		claims = append(claims, strings.Join(devices, " "))
	}
	return strings.Join(claims, ";")
}
