package scene

import (
	"testing"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// TestAnAutoscalersNumbersStandApart: the target and what is in use, however much that is, in each picture that has them.
func TestAnAutoscalersNumbersStandApart(t *testing.T) {
	target, now := int32(100), int32(999)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", ResourceVersion: "1"}}
	hpa.Spec.Metrics = []autoscalingv2.MetricSpec{{Resource: &autoscalingv2.ResourceMetricSource{Target: autoscalingv2.MetricTarget{AverageUtilization: &target}}}}
	hpa.Status.CurrentMetrics = []autoscalingv2.MetricStatus{{Resource: &autoscalingv2.ResourceMetricStatus{
		Current: autoscalingv2.MetricValueStatus{AverageUtilization: &now}}}}
	for layout, font := range map[Layout]int{Wide: typeNumber, Narrow: 32} { // scene.css has the same
		for _, insides := range [][]string{{"horizontal-pod-autoscaler"}, {"horizontal-pod-autoscaler", "replicaset-controller"}} {
			s := NewStage(Options{Layout: layout, Insides: insides})
			s.Apply(&trace.Event{Op: trace.CacheSet, Component: "horizontal-pod-autoscaler", Deltas: []trace.Delta{
				trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: "horizontal-pod-autoscaler"}, "running"),
				object("horizontalpodautoscalers", "default/web", hpa),
				trace.Set(trace.Cell{Kind: trace.CellCache, Owner: "horizontal-pod-autoscaler/horizontalpodautoscalers", Key: "default/web"}, "1")}})
			all := shapes(s)
			want, have := all["component/horizontal-pod-autoscaler/want"], all["component/horizontal-pod-autoscaler/have"]
			if want.Title != "100" || have.Title != "999" {
				t.Fatalf("layout %s, %v: it says %q and %q", layout, insides, want.Title, have.Title)
			}
			if right := want.X + (textWidth(want.Title, font)+9)/10; right+4 > have.X {
				t.Errorf("layout %s, %v: the target ends at %d, what is in use begins at %d", layout, insides, right, have.X)
			}
		}
	}
}

// TestNumbersSayOfWhichObject: a controller that has several names the one whose numbers it shows, where there is room; one that has one does not.
func TestNumbersSayOfWhichObject(t *testing.T) {
	const name = "replicaset-controller"
	for _, insides := range [][]string{{name}, {"deployment-controller", name}} {
		s := NewStage(Options{Layout: Wide, Insides: insides})
		add := func(rs string) {
			s.Apply(&trace.Event{Op: trace.CacheSet, Component: name, Deltas: []trace.Delta{
				trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: name}, "running"),
				object("replicasets", "default/"+rs, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: rs, Namespace: "default", ResourceVersion: "1"}}),
				trace.Set(trace.Cell{Kind: trace.CellCache, Owner: name + "/replicasets", Key: "default/" + rs}, "1")}})
		}
		const about, want = "component/" + name + "/about", "web-64464b798d"
		add(want)
		if got, ok := shapes(s)[about]; ok {
			t.Errorf("%v: of one ReplicaSet it says %q", insides, got.Title)
		}
		add("web-c78bb5445")
		if got := shapes(s)[about].Title; got != want && got != suffix(want) {
			t.Errorf("%v: it says %q, not %q", insides, got, want)
		}
	}
}

// TestASmallPanelNamesAllCaches: those that have no line of their own share the last one, in short.
func TestASmallPanelNamesAllCaches(t *testing.T) {
	const name = "deployment-controller"
	s := NewStage(Options{Layout: Narrow, Insides: []string{name, "replicaset-controller"}})
	e := &trace.Event{Op: trace.CacheSet, Component: name, Deltas: []trace.Delta{trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: name}, "running")}}
	for _, resource := range []string{"deployments", "pods", "replicasets"} {
		e.Deltas = append(e.Deltas, object(resource, "default/web", &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}),
			trace.Set(trace.Cell{Kind: trace.CellCache, Owner: name + "/" + resource, Key: "default/web"}, "1"))
	}
	s.Apply(e)
	all := shapes(s)
	if got := all["component/"+name+"/caches/more"]; got.Title != "rs 1 · po 1" || all["component/"+name+"/cache/deployments"].Title != "deployments 1" {
		t.Errorf("below %q it says %q %q", all["component/"+name+"/cache/deployments"].Title, got.Title, got.Word)
	}
}

// TestANoteTakesNoLabelButItsOwnPlace: what is wrong with a controller stands where a number's label would, if it needs that place, and never on it.
func TestANoteTakesNoLabelButItsOwnPlace(t *testing.T) {
	const name = "horizontal-pod-autoscaler"
	for _, insides := range [][]string{{name}, {name, "replicaset-controller"}} {
		s := NewStage(Options{Layout: Narrow, Insides: insides})
		hpa := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}
		target := int32(50)
		hpa.Spec.Metrics = []autoscalingv2.MetricSpec{{Resource: &autoscalingv2.ResourceMetricSource{Target: autoscalingv2.MetricTarget{AverageUtilization: &target}}}}
		s.Apply(&trace.Event{Op: trace.CacheSet, Component: name, Deltas: []trace.Delta{
			trace.Set(trace.Cell{Kind: trace.CellComponent, Owner: name}, "running"),
			object("horizontalpodautoscalers", "default/web", hpa),
			trace.Set(trace.Cell{Kind: trace.CellCache, Owner: name + "/horizontalpodautoscalers", Key: "default/web"}, "1"),
			trace.Set(trace.Cell{Kind: trace.CellFault, Owner: "fault/" + name, Key: "fail"}, "quota")}})
		all := shapes(s)
		note, want := all["component/"+name+"/note"], all["component/"+name+"/want"]
		if note.W == 0 || want.Title != "50" {
			t.Fatalf("%v: the note is %+v, the target %+v", insides, note, want)
		}
		if isBeside := note.X >= want.X+want.W; isBeside != (want.DetailWord != "") || !isBeside && note.Y+note.H > want.Y {
			t.Errorf("%v: the note at %d %d, %d high, and the target at %d %d, with the label %q", insides, note.X, note.Y, note.H, want.X, want.Y, want.DetailWord)
		}
	}
}
