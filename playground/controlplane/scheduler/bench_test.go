package scheduler_test

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/scheduler"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// BenchmarkOnePod is what one Pod costs, from the watch to the binding, among 100
// nodes with ten Pods each. "traced" is with everything recorded, as in a demo.
func BenchmarkOnePod(b *testing.B) {
	for _, c := range []struct {
		name   string
		level  trace.Level
		change func(*corev1.Pod)
	}{
		{"plain", trace.Off, func(*corev1.Pod) {}},
		{"traced", trace.All, func(*corev1.Pod) {}},
		{"spread", trace.Off, func(p *corev1.Pod) {
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelHostname,
				WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
		}},
		{"antiAffinity", trace.Off, func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "other"}}}}}}
		}},
		{"nowhere", trace.Off, func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"no": "node"} }},
	} {
		b.Run(c.name, func(b *testing.B) {
			k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(c.level))
			defer k.Close()
			w := &world{wire: newWire(k, time.Millisecond, 0), t: b}
			for i := range 100 {
				name := fmt.Sprint("node-", i)
				w.put("nodes", newNode(name))
				for j := range 10 {
					there := w.newPod(fmt.Sprintf("there-%d-%d", i, j), 100)
					there.Spec.NodeName, there.Labels = name, map[string]string{"app": "web"}
					w.put("pods", there)
				}
			}
			w.comp = k.Start(scheduler.Component)
			w.sched = scheduler.New(w.comp, client.New(w.wire), scheduler.Options{})
			w.comp.Go("main", w.sched.Run)
			w.run(time.Second)
			i := 0
			for b.Loop() {
				p := w.newPod(fmt.Sprint("new-", i), 1)
				p.Labels = map[string]string{"app": "web"}
				c.change(p)
				w.put("pods", p)
				w.run(20 * time.Millisecond)
				if c.name != "nowhere" && w.pod(p.Name).Spec.NodeName == "" {
					b.Fatalf("%s has no node: %s", p.Name, w.message(p.Name))
				}
				b.StopTimer()
				w.remove("pods", "default", p.Name)
				w.run(20 * time.Millisecond)
				b.StartTimer()
				i++
			}
		})
	}
}

func (w *wire) Kinds() api.KindSet { return api.Kinds() }
