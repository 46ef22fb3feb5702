package controller

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
)

var (
	rsKind    = api.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"}
	errBroken = errors.New("broken")
	gone      = apierrors.NewNotFound(api.GroupResource{Resource: "pods"}, "x")
)

// patches is a PodControlInterface that writes down what is patched.
type patches struct {
	PodControlInterface
	err  error
	sent []string
}

func (f *patches) PatchPod(_ *sim.Proc, namespace, name string, patch []byte) error {
	f.sent = append(f.sent, name+" "+string(patch))
	return f.err
}

func labelled(app string) podOption {
	return func(p *corev1.Pod) { p.Labels = map[string]string{"app": app} }
}

func ownedBy(rs *appsv1.ReplicaSet) podOption {
	return func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(rs, rsKind)} }
}

func deleted(p *corev1.Pod) { t := ago(0); p.DeletionTimestamp = &t }

func replicaSet(name, uid string) *appsv1.ReplicaSet {
	rs := &appsv1.ReplicaSet{}
	rs.Name, rs.Namespace, rs.UID = name, "default", types.UID(uid)
	return rs
}

func TestClaimPods(t *testing.T) {
	mine, other := replicaSet("web", "u1"), replicaSet("other", "u2")
	dying := replicaSet("web", "u1")
	now := ago(0)
	dying.DeletionTimestamp = &now
	const (
		adopt   = `a {"metadata":{"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u1","controller":true,"blockOwnerDeletion":true}],"uid":"a"}}`
		release = `a {"metadata":{"ownerReferences":[{"$patch":"delete","uid":"u1"}],"uid":"a"}}`
	)
	for _, c := range []struct {
		name     string
		rs       *appsv1.ReplicaSet
		pod      *corev1.Pod
		patchErr error
		adoptErr error
		claimed  bool
		patch    string
		err      bool
	}{
		{name: "own and selected", rs: mine, pod: testPod("a", labelled("web"), ownedBy(mine)), claimed: true},
		{name: "own, no longer selected", rs: mine, pod: testPod("a", labelled("x"), ownedBy(mine)), patch: release},
		{name: "own, no longer selected, gone by now", rs: mine, pod: testPod("a", labelled("x"), ownedBy(mine)), patch: release, patchErr: gone},
		{name: "own, no longer selected, patch refused", rs: mine, pod: testPod("a", labelled("x"), ownedBy(mine)), patch: release, patchErr: errBroken, err: true},
		{name: "own, no longer selected, owner is deleted", rs: dying, pod: testPod("a", labelled("x"), ownedBy(mine))},
		{name: "another's", rs: mine, pod: testPod("a", labelled("web"), ownedBy(other))},
		{name: "orphan and selected", rs: mine, pod: testPod("a", labelled("web")), claimed: true, patch: adopt},
		{name: "orphan, gone by now", rs: mine, pod: testPod("a", labelled("web")), patch: adopt, patchErr: gone},
		{name: "orphan, patch refused", rs: mine, pod: testPod("a", labelled("web")), patch: adopt, patchErr: errBroken, err: true},
		{name: "orphan, owner just deleted", rs: mine, pod: testPod("a", labelled("web")), adoptErr: errBroken, err: true},
		{name: "orphan, not selected", rs: mine, pod: testPod("a", labelled("x"))},
		{name: "orphan that is being deleted", rs: mine, pod: testPod("a", labelled("web"), deleted)},
		{name: "orphan, owner is deleted", rs: dying, pod: testPod("a", labelled("web"))},
		{name: "orphan of another namespace", rs: mine, pod: testPod("a", labelled("web"), func(p *corev1.Pod) { p.Namespace = "else" })},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKernel(t)
			control := &patches{err: c.patchErr}
			asked := 0
			var claimed []*corev1.Pod
			var err error
			k.Start("test").Go("", func(p *sim.Proc) {
				m := NewPodControllerRefManager(control, c.rs, labels.SelectorFromSet(labels.Set{"app": "web"}), rsKind,
					func(*sim.Proc) error { asked++; return c.adoptErr })
				claimed, err = m.ClaimPods(p, []*corev1.Pod{c.pod, testPod("z", labelled("web"), ownedBy(mine))})
			})
			for k.Step() {
			}
			var names []string
			for _, pod := range claimed {
				names = append(names, pod.Name)
			}
			want := []string{"z"} // the others are claimed whatever becomes of one
			if c.claimed {
				want = []string{"a", "z"}
			}
			if !reflect.DeepEqual(names, want) {
				t.Errorf("claimed %v, want %v", names, want)
			}
			if (err != nil) != c.err {
				t.Errorf("error %v", err)
			}
			var wantSent []string
			if c.patch != "" {
				wantSent = []string{c.patch}
			}
			if !reflect.DeepEqual(control.sent, wantSent) {
				t.Errorf("sent %v\nwant %v", control.sent, wantSent)
			}
			if want := c.patch == adopt || c.adoptErr != nil; (asked == 1) != want || asked > 1 {
				t.Errorf("asked %d times whether it may adopt", asked)
			}
		})
	}
}

func TestCanAdoptIsAskedOnce(t *testing.T) {
	k := newKernel(t)
	asked := 0
	k.Start("test").Go("", func(p *sim.Proc) {
		get := func(*sim.Proc) (api.Object, error) { asked++; return replicaSet("web", "u1"), nil }
		m := NewPodControllerRefManager(&patches{}, replicaSet("web", "u1"), labels.Everything(), rsKind, RecheckDeletionTimestamp(get))
		var pods []*corev1.Pod
		for i := range 5 {
			pods = append(pods, testPod(fmt.Sprint("p", i)))
		}
		if claimed, err := m.ClaimPods(p, pods); len(claimed) != 5 || err != nil {
			t.Errorf("claimed %d, %v", len(claimed), err)
		}
	})
	for k.Step() {
	}
	if asked != 1 {
		t.Errorf("asked %d times, want once for a sync", asked)
	}
}

func TestRecheckDeletionTimestamp(t *testing.T) {
	dying := replicaSet("web", "u1")
	now := ago(0)
	dying.DeletionTimestamp = &now
	for want, get := range map[string]func(*sim.Proc) (api.Object, error){
		"can't recheck DeletionTimestamp: broken":                   func(*sim.Proc) (api.Object, error) { return nil, errBroken },
		"default/web has just been deleted at 2026-01-02T00:00:00Z": func(*sim.Proc) (api.Object, error) { return dying, nil },
	} {
		if err := RecheckDeletionTimestamp(get)(nil); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
