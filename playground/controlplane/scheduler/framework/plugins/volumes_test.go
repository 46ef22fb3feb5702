package plugins

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/storagev1"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// objects reads "kind name json" of claims, volumes and classes.
func volumeObjects(t *testing.T, texts ...string) (out []api.Object) {
	t.Helper()
	for _, text := range texts {
		words := strings.SplitN(text, " ", 3)
		var o api.Object
		switch words[0] {
		case "pvc":
			o = &corev1.PersistentVolumeClaim{}
		case "pv":
			o = &corev1.PersistentVolume{}
		case "class":
			o = &storagev1.StorageClass{}
		}
		if err := json.Unmarshal([]byte(words[2]), o); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		o.SetName(words[1])
		if words[0] == "pvc" {
			o.SetNamespace("default")
		}
		out = append(out, o)
	}
	return out
}

func TestVolumeFilters(t *testing.T) {
	const (
		uses    = `{"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]}`
		bound   = `pvc data {"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"disk"},"status":{"phase":"Bound"}}`
		waiting = `pvc data {"spec":{"storageClassName":"local","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2Gi"}}}}`
		later   = `class local {"provisioner":"kubernetes.io/no-provisioner","volumeBindingMode":"WaitForFirstConsumer"}`
		maker   = `class local {"provisioner":"kubewalk.dev/hostpath","volumeBindingMode":"WaitForFirstConsumer"%s}`
		on      = `"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"host","operator":"In","values":["a1"]}]}]}}`
		free    = `pv disk {"spec":{"storageClassName":"local","accessModes":["ReadWriteOnce"],"capacity":{"storage":"%s"},` + on + `},"status":{"phase":"%s"}}`
		late    = "VolumeBinding UnschedulableAndUnresolvable: "
	)
	for _, c := range []struct {
		name    string
		objects []string
		there   []string
		pod     string
		want    string // on a1; "|" then on b1, if different
	}{
		{name: "no volumes", pod: `{}`, want: "fits"},
		{name: "no claim", pod: uses, want: `VolumeRestrictions UnschedulableAndUnresolvable: persistentvolumeclaim "data" not found`},
		{name: "a claim of the Pod's own, not made yet", pod: `{"volumes":[{"name":"v","ephemeral":{}}]}`,
			want: late + `waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"`},
		{name: "somebody else's claim of that name", pod: `{"volumes":[{"name":"v","ephemeral":{}}]}`, objects: []string{`pvc p-v {}`},
			want: late + `PVC default/p-v was not created for pod default/p (pod is not owner)`},
		{name: "lost", pod: uses, objects: []string{`pvc data {"spec":{"volumeName":"disk"},"status":{"phase":"Lost"}}`},
			want: late + `persistentvolumeclaim "data" bound to non-existent persistentvolume "disk"`},
		{name: "going", pod: uses, objects: []string{`pvc data {"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}`},
			want: late + `persistentvolumeclaim "data" is being deleted`},
		{name: "to be bound at once, and is not", pod: uses, objects: []string{`pvc data {}`}, want: late + "pod has unbound immediate PersistentVolumeClaims"},
		{name: "bound, reachable from everywhere", pod: uses, objects: []string{bound, `pv disk {}`}, want: "fits"},
		{name: "bound, reachable from one node", pod: uses, objects: []string{bound, `pv disk {"spec":{` + on + `}}`},
			want: "fits|" + late + "node(s) didn't match PersistentVolume's node affinity"},
		{name: "bound to nothing", pod: uses, objects: []string{bound}, want: `VolumeZone UnschedulableAndUnresolvable: persistentvolume "disk" not found`},
		{name: "a volume that fits", pod: uses, objects: []string{waiting, later, fmt.Sprintf(free, "2Gi", "Available")},
			want: "fits|" + late + "node(s) didn't find available persistent volumes to bind"},
		{name: "a volume that is too small", pod: uses, objects: []string{waiting, later, fmt.Sprintf(free, "1Gi", "Available")},
			want: late + "node(s) didn't find available persistent volumes to bind"},
		{name: "a volume that somebody had", pod: uses, objects: []string{waiting, later, fmt.Sprintf(free, "2Gi", "Released")},
			want: late + "node(s) didn't find available persistent volumes to bind"},
		{name: "one can be made", pod: uses, objects: []string{waiting, fmt.Sprintf(maker, "")}, want: "fits"},
		{name: "one can be made in one zone", pod: uses, objects: []string{waiting,
			fmt.Sprintf(maker, `,"allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a"]}]}]`)},
			want: "fits|" + late + "node(s) didn't find available persistent volumes to bind"},
		{name: "one is being made for a node", pod: uses, objects: []string{
			strings.Replace(waiting, `{"spec"`, `{"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"a1"}},"spec"`, 1), fmt.Sprintf(maker, "")},
			want: "fits|" + late + "node(s) didn't find available persistent volumes to bind"},
		{name: "in another zone", pod: uses, objects: []string{bound, `pv disk {"metadata":{"labels":{"topology.kubernetes.io/zone":"b"}}}`},
			want: "VolumeZone UnschedulableAndUnresolvable: node(s) had no available volume zone|fits"},
		{name: "for one Pod only, and another has it", pod: uses, there: []string{"b1 app=web " + uses},
			objects: []string{strings.Replace(bound, `"volumeName"`, `"accessModes":["ReadWriteOncePod"],"volumeName"`, 1), `pv disk {}`},
			want:    "VolumeRestrictions Unschedulable: " + ErrReasonReadWriteOncePodConflict},
		{name: "for one Pod only, and it is this", pod: uses,
			objects: []string{strings.Replace(bound, `"volumeName"`, `"accessModes":["ReadWriteOncePod"],"volumeName"`, 1), `pv disk {}`}, want: "fits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := zones(t, c.there...)
			for _, n := range list {
				n.Node().Labels[corev1.LabelTopologyZone] = n.Name()[:1]
			}
			a1, b1, two := strings.Cut(c.want, "|")
			if !two {
				b1 = a1
			}
			think(t, list, volumeObjects(t, c.objects...), func(p *sim.Proc, w *thinking) {
				for node, want := range map[int]string{0: a1, 2: b1} {
					state, incoming := framework.NewCycleState(), pod(t, c.pod)
					_, s, _ := w.f.RunPreFilterPlugins(p, state, incoming)
					if s.IsSuccess() {
						s = w.f.RunFilterPlugins(p, state, incoming, list[node])
					}
					got := "fits"
					if !s.IsSuccess() {
						got = fmt.Sprintf("%s %s: %s", s.Plugin(), s.Code(), s.Message())
					}
					if got != want {
						t.Errorf("node %s: %s, want %s", list[node].Name(), got, want)
					}
				}
			})
		})
	}
}
