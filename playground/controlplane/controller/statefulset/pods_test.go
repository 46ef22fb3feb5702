package statefulset

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/controller/history"
)

func set(name string, replicas, start int32) *appsv1.StatefulSet {
	s := &appsv1.StatefulSet{}
	s.Name, s.Namespace, s.UID = name, "default", types.UID("uid-"+name)
	s.Spec.Replicas, s.Spec.Selector = &replicas, &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
	s.Spec.Template.Labels = map[string]string{"app": name}
	s.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Image: "nginx:1.27"}}
	if start > 0 {
		s.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: start}
	}
	return s
}

func named(name string) *corev1.Pod {
	p := &corev1.Pod{}
	p.Name, p.Namespace = name, "default"
	return p
}

func TestOrdinals(t *testing.T) {
	for _, c := range []struct {
		name, parent string
		ordinal      int
		inRange      bool // of three from 2 on
	}{
		{"db-0", "db", 0, false}, {"db-2", "db", 2, true}, {"db-4", "db", 4, true}, {"db-5", "db", 5, false},
		{"a-b-3", "a-b", 3, true}, {"db", "", -1, false}, {"db-", "", -1, false}, {"db-x", "", -1, false}, {"db-+3", "", -1, false}, {"db--3", "db-", 3, true},
	} {
		parent, ordinal := getParentNameAndOrdinal(named(c.name))
		if parent != c.parent || ordinal != c.ordinal || podInOrdinalRange(named(c.name), set("db", 3, 2)) != c.inRange {
			t.Errorf("%s: parent %q, ordinal %d; want %q, %d, in range %v", c.name, parent, ordinal, c.parent, c.ordinal, c.inRange)
		}
	}
}

func TestMaxUnavailable(t *testing.T) {
	for _, c := range []struct {
		value    string
		replicas int
		want     int
	}{{"1", 5, 1}, {"3", 5, 3}, {"50%", 5, 2}, {"10%", 5, 1}, {"100%", 4, 4}, {"", 5, 1}} {
		var v *intstr.IntOrString
		if c.value != "" {
			parsed := intstr.Parse(c.value)
			v = &parsed
		}
		if got, err := getStatefulSetMaxUnavailable(v, c.replicas); got != c.want || err != nil {
			t.Errorf("%q of %d: %d, %v; want %d", c.value, c.replicas, got, err, c.want)
		}
	}
}

// A revision gives back the template that it was made of.
func TestRevision(t *testing.T) {
	s, zero := set("db", 3, 0), int32(0)
	r, err := newRevision(s, 1, &zero)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(r.Data.Raw), `{"spec":{"template":{"$patch":"replace",`) || !strings.HasPrefix(r.Name, "db-") ||
		r.Name != "db-"+r.Labels[history.ControllerRevisionHashLabel] {
		t.Errorf("revision %s with labels %v holds %s", r.Name, r.Labels, r.Data.Raw)
	}
	changed := set("db", 3, 0)
	changed.Spec.Template.Spec.Containers[0].Image = "nginx:1.28"
	if setMatchesLatestExistingRevision(changed, r) {
		t.Error("another image is the same revision")
	}
	back, err := ApplyRevision(changed, r)
	if err != nil || back.Spec.Template.Spec.Containers[0].Image != "nginx:1.27" || changed.Spec.Template.Spec.Containers[0].Image != "nginx:1.28" {
		t.Errorf("applied: %v, %+v", err, back.Spec.Template)
	}
	if !setMatchesLatestExistingRevision(back, r) {
		t.Error("what a revision was applied to does not match it")
	}
	one := int32(1)
	other, _ := newRevision(s, 2, &one)
	if other.Name == r.Name || !history.EqualRevision(r, other) {
		t.Errorf("after a collision the same data is %s and %s", r.Name, other.Name)
	}
}

func TestClaimOwners(t *testing.T) {
	retain, remove := appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType
	for _, c := range []struct {
		whenDeleted, whenScaled appsv1.PersistentVolumeClaimRetentionPolicyType
		pod, owners             string
	}{
		{retain, retain, "db-0", ""}, {retain, retain, "db-7", ""},
		{remove, retain, "db-0", "StatefulSet"}, {remove, retain, "db-7", "StatefulSet"},
		{retain, remove, "db-0", ""}, {retain, remove, "db-7", "Pod"},
		{remove, remove, "db-0", "StatefulSet"}, {remove, remove, "db-7", "Pod"},
	} {
		s, pod, claim := set("db", 3, 0), named(c.pod), &corev1.PersistentVolumeClaim{}
		pod.UID = "uid-pod"
		s.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: c.whenDeleted, WhenScaled: c.whenScaled}
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "mine", UID: "uid-mine"}}
		updateClaimOwnerRefForSetAndPod(claim, s, pod)
		owners := ""
		for _, ref := range claim.OwnerReferences[1:] {
			owners += ref.Kind
		}
		if owners != c.owners || claim.OwnerReferences[0].Name != "mine" {
			t.Errorf("whenDeleted=%s whenScaled=%s: the claim of %s belongs to %q, want %q", c.whenDeleted, c.whenScaled, c.pod, owners, c.owners)
		}
		if !isClaimOwnerUpToDate(claim, s, pod) {
			t.Errorf("whenDeleted=%s whenScaled=%s: the claim of %s is never up to date", c.whenDeleted, c.whenScaled, c.pod)
		}
	}
}

func TestAvailability(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC)
	pod := named("db-0")
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue,
		LastTransitionTime: metav1.NewTime(now.Add(-5 * time.Second))}}
	if newMember(pod).unavailable(5, now) || !newMember(pod).unavailable(6, now) {
		t.Error("ready for 5 s: available after 5 s, and not after 6")
	}
	pod.DeletionTimestamp = &metav1.Time{Time: now}
	if !newMember(pod).unavailable(0, now) {
		t.Error("a Pod that is being deleted is available")
	}
}
