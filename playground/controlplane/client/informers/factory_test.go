package informers_test

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func pod(namespace, name, node, app string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{NodeName: node}}
}

func names(pods []*corev1.Pod, err error) string {
	if err != nil {
		return err.Error()
	}
	out := []string{}
	for _, p := range pods {
		out = append(out, p.Namespace+"/"+p.Name)
	}
	return fmt.Sprint(out)
}

func TestFactoryAndListers(t *testing.T) {
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	defer k.Close()
	s := fake.NewServer(k)
	s.Put("pods", pod("default", "web-b", "n1", "web"))
	s.Put("pods", pod("default", "web-a", "n2", "web"))
	s.Put("pods", pod("default", "db", "n1", "db"))
	s.Put("pods", pod("other", "web-c", "n1", "web"))
	s.Put("nodes", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
	s.Put("replicasets", &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}})
	cs := client.New(s)

	done := false
	k.Start("controller").Go("main", func(p *sim.Proc) {
		f := informers.NewSharedInformerFactory(cs, 0)
		pods, nodes, sets := f.Core().V1().Pods().Lister(), f.Core().V1().Nodes().Lister(), f.Apps().V1().ReplicaSets().Lister()
		if f.Core().V1().Pods().Informer() != f.Core().V1().Pods().Informer() {
			t.Error("two informers of one resource")
		}
		f.Start(p)
		f.Start(p) // starts nothing twice
		f.WaitForCacheSync(p)
		web := labels.SelectorFromSet(labels.Set{"app": "web"})
		for _, c := range []struct{ got, want string }{
			{names(pods.List(labels.Everything())), "[default/db default/web-a default/web-b other/web-c]"},
			{names(pods.List(web)), "[default/web-a default/web-b other/web-c]"},
			{names(pods.Pods("default").List(web)), "[default/web-a default/web-b]"},
			{names(pods.Pods("nowhere").List(web)), "[]"},
		} {
			if c.got != c.want {
				t.Errorf("got %s, want %s", c.got, c.want)
			}
		}
		if n, err := nodes.Get("n1"); err != nil || n.Name != "n1" {
			t.Errorf("node: %v %v", n, err)
		}
		if rs, err := sets.ReplicaSets("default").Get("web"); err != nil || rs.Name != "web" {
			t.Errorf("replica set: %v %v", rs, err)
		}
		_, err := sets.ReplicaSets("default").Get("gone")
		if !apierrors.IsNotFound(err) || err.Error() != `replicaset.apps "gone" not found` {
			t.Errorf("what is not there: %v", err)
		}
		done = true
	})
	onNode := false
	k.Start("kubelet/n1").Go("main", func(p *sim.Proc) {
		f := informers.NewSharedInformerFactoryWithOptions(cs, 0, informers.WithNamespace("default"),
			informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = "spec.nodeName=n1" }))
		pods := f.Core().V1().Pods().Lister()
		f.Start(p)
		f.WaitForCacheSync(p)
		if got := names(pods.List(labels.Everything())); got != "[default/db default/web-b]" {
			t.Errorf("the kubelet sees %s", got)
		}
		p.Sleep(time.Second)
		s.Put("pods", pod("default", "web-a", "n1", "web")) // it was bound
		p.Sleep(time.Second)
		if got := names(pods.List(labels.Everything())); got != "[default/db default/web-a default/web-b]" {
			t.Errorf("later the kubelet sees %s", got)
		}
		onNode = true
	})
	k.RunUntil(time.Minute)
	if !done || !onNode {
		t.Error("the caches never synced")
	}
	if n := s.Watches("pods"); n != 2 {
		t.Errorf("%d watches of Pods, want one to each component", n)
	}
}
