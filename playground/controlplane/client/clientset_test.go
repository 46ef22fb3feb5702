package client_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/fake"
	"kubewalk/playground/controlplane/client/retry"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// in runs do as a process of a program with a clientset over a fake server.
func in(t *testing.T, do func(p *sim.Proc, cs *client.Clientset, s *fake.Server)) *fake.Server {
	t.Helper()
	k := sim.New(1, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), trace.NewRecorder(trace.All))
	t.Cleanup(k.Close)
	s := fake.NewServer(k)
	done := false
	k.Start("program").Go("main", func(p *sim.Proc) {
		do(p, client.New(s), s)
		done = true
	})
	k.RunUntil(time.Hour)
	if !done {
		t.Fatal("the program still waits for something after an hour")
	}
	return s
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestEveryVerb(t *testing.T) {
	s := in(t, func(p *sim.Proc, cs *client.Clientset, s *fake.Server) {
		pods := cs.CoreV1().Pods("default")
		pod := must[*corev1.Pod](t)
		created := pod(pods.Create(p, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{}))
		if created.Namespace != "default" || created.ResourceVersion != "2" {
			t.Errorf("created %s/%s@%s", created.Namespace, created.Name, created.ResourceVersion)
		}
		changed := created.DeepCopy()
		changed.Labels = map[string]string{"app": "web"}
		updated := pod(pods.Update(p, changed, metav1.UpdateOptions{}))
		status := updated.DeepCopy()
		status.Status.Phase = corev1.PodRunning
		pod(pods.UpdateStatus(p, status, metav1.UpdateOptions{}))
		pod(pods.Patch(p, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{}, "status"))
		if err := pods.Bind(p, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Target: corev1.ObjectReference{Kind: "Node", Name: "n1"}},
			metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
		got := pod(pods.Get(p, "a", metav1.GetOptions{}))
		if got.Spec.NodeName != "n1" || got.Labels["x"] != "y" || got.Status.Phase != corev1.PodRunning {
			t.Errorf("in the end it is %+v", got)
		}
		if list := must[*corev1.PodList](t)(cs.CoreV1().Pods("").List(p, metav1.ListOptions{LabelSelector: "app=web"})); len(list.Items) != 1 {
			t.Errorf("%d Pods in the list", len(list.Items))
		}
		w := must[client.Stream](t)(pods.Watch(p, metav1.ListOptions{ResourceVersion: "1"}))
		if e, ok := w.Next(p); !ok || e.Type != client.Added || e.Object.GetName() != "a" {
			t.Errorf("the watch says %+v", e)
		}
		w.Stop()
		if err := pods.Delete(p, "a", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		if _, err := pods.Get(p, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("after its deletion: %v", err)
		}

		three := int32(3)
		sets := cs.AppsV1().ReplicaSets("default")
		must[*appsv1.ReplicaSet](t)(sets.Create(p, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec: appsv1.ReplicaSetSpec{Replicas: &three}}, metav1.CreateOptions{}))
		scale := must[*autoscalingv1.Scale](t)(sets.GetScale(p, "web", metav1.GetOptions{})).DeepCopy()
		scale.Spec.Replicas += 5
		if scale = must[*autoscalingv1.Scale](t)(sets.UpdateScale(p, "web", scale, metav1.UpdateOptions{})); scale.Spec.Replicas != 8 {
			t.Errorf("scaled to %d", scale.Spec.Replicas)
		}
		if _, err := sets.Update(p, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web", ResourceVersion: "1"}},
			metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			t.Errorf("an update of what is stale: %v", err)
		}
	})
	want := `create pods default/a
update pods default/a
update pods/status default/a
patch pods/status default/a
create pods/binding default/a
get pods default/a
list pods 
watch pods default/from 1
delete pods default/a
get pods default/a
create replicasets default/web
get replicasets/scale default/web
update replicasets/scale default/web
update replicasets default/web`
	if got := strings.Join(s.Requests, "\n"); got != want {
		t.Errorf("the server saw\n%s\nwant\n%s", got, want)
	}
}

func TestErrors(t *testing.T) {
	in(t, func(p *sim.Proc, cs *client.Clientset, s *fake.Server) {
		s.React = func(r *client.Request) (client.Result, bool, error) {
			return &metav1.Status{}, true, nil
		}
		if _, err := cs.CoreV1().Nodes().Get(p, "n1", metav1.GetOptions{}); err == nil {
			t.Error("a Status passed for a Node")
		}
		s.Down = true
		if _, err := cs.CoreV1().Nodes().Get(p, "n1", metav1.GetOptions{}); !client.IsConnectionRefused(err) ||
			!strings.HasSuffix(err.Error(), "connect: connection refused") {
			t.Errorf("a server that is down: %v", err)
		}
	})
}

func TestRetryOnConflict(t *testing.T) {
	for _, c := range []struct {
		conflicts, tries int
		fails            bool
	}{{0, 1, false}, {3, 4, false}, {9, 5, true}} {
		in(t, func(p *sim.Proc, cs *client.Clientset, s *fake.Server) {
			tries := 0
			start := p.Now()
			err := retry.RetryOnConflict(p, retry.DefaultRetry, func() error {
				if tries++; tries <= c.conflicts {
					return apierrors.NewConflict(api.GroupResource{Resource: "pods"}, "a", nil)
				}
				return nil
			})
			if tries != c.tries || (err != nil) != c.fails {
				t.Errorf("%d conflicts: %d tries, %v", c.conflicts, tries, err)
			}
			pause := time.Duration(tries-1) * 10 * time.Millisecond
			if d := p.Now() - start; d < pause || d > pause+pause/10 {
				t.Errorf("%d tries took %v", tries, d)
			}
		})
	}
}

func TestRetryBackoffGrows(t *testing.T) {
	in(t, func(p *sim.Proc, cs *client.Clientset, s *fake.Server) {
		var at []time.Duration
		retry.OnError(p, retry.DefaultBackoff, func(error) bool { return true }, func() error {
			at = append(at, p.Now())
			return client.ErrConnectionRefused
		})
		for i, least := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 250 * time.Millisecond} {
			if d := at[i+1] - at[i]; d < least || d > least+least/10 {
				t.Errorf("pause %d is %v", i, d)
			}
		}
	})
}

func TestThrottled(t *testing.T) {
	in(t, func(p *sim.Proc, _ *client.Clientset, s *fake.Server) {
		s.MinLatency, s.MaxLatency = 0, 0
		cs := client.New(client.Throttled(s, p.Kernel(), client.Limit{QPS: 20, Burst: 30}))
		start := p.Now()
		for range 50 {
			cs.CoreV1().Nodes().List(p, metav1.ListOptions{})
		}
		if d := p.Now() - start; d != time.Second {
			t.Errorf("50 requests took %v; 30 go at once, 20 in a second", d)
		}
	})
}
