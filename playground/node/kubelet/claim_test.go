package kubelet_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// TestAPodWaitsForItsClaim: until it is bound; and what was written outlives the Pod.
func TestAPodWaitsForItsClaim(t *testing.T) {
	n := newNode(t, 45)
	n.pass(3 * time.Second)
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	class := "manual"
	n.do("claim", func(p *sim.Proc, cs *client.Clientset) error {
		_, err := cs.CoreV1().PersistentVolumeClaims("default").Create(p, &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default"},
			Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &class,
				Resources: corev1.VolumeResourceRequirements{Requests: size}},
		}, metav1.CreateOptions{})
		return err
	})
	create := func(name string) {
		n.create(bound(name, func(pod *corev1.Pod) {
			pod.Spec.Volumes = []corev1.Volume{{Name: "data",
				VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
			pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
		}))
	}
	create("db")
	n.pass(3 * time.Minute)
	if got := summary(n.pod("db")); got != "Pending web:ContainerCreating" {
		t.Error(got)
	}
	want := "Warning FailedMount: Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC default/data: PVC is not bound"
	if text := strings.Join(n.events("Pod", "db"), "\n"); !strings.Contains(text, want) {
		t.Errorf("no event %q in\n%s", want, text)
	}
	n.do("bind", func(p *sim.Proc, cs *client.Clientset) error {
		pvc, err := cs.CoreV1().PersistentVolumeClaims("default").Get(p, "data", metav1.GetOptions{})
		if err != nil {
			return err
		}
		_, err = cs.CoreV1().PersistentVolumes().Create(p, &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-1"},
			Spec: corev1.PersistentVolumeSpec{
				Capacity: size, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: class,
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
				ClaimRef: &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: "default", Name: "data",
					UID: pvc.UID},
				PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "csi.example.com",
					VolumeHandle: "1"}},
			}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		pvc = pvc.DeepCopy()
		pvc.Spec.VolumeName = "pv-1"
		if pvc, err = cs.CoreV1().PersistentVolumeClaims("default").Update(p, pvc, metav1.UpdateOptions{}); err != nil {
			return err
		}
		pvc = pvc.DeepCopy()
		pvc.Status.Phase = corev1.ClaimBound
		_, err = cs.CoreV1().PersistentVolumeClaims("default").UpdateStatus(p, pvc, metav1.UpdateOptions{})
		return err
	})
	n.until("running", 3*time.Minute, isRunning(n, "db"))
	n.until("said to be in use", 15*time.Second, func() bool {
		in := current[*corev1.Node](n, "nodes", "", "node-1").Status.VolumesInUse
		return len(in) == 1 && in[0] == "kubernetes.io/csi/csi.example.com^1"
	})
	if got := n.exec("db", "web", "echo kept > /data/f"); got != "" {
		t.Error(got)
	}
	n.delete("db", metav1.DeleteOptions{})
	n.until("gone", 10*time.Second, isGone(n, "db"))
	create("db-2")
	n.until("running", 20*time.Second, isRunning(n, "db-2"))
	if got := n.exec("db-2", "web", "cat /data/f"); got != "kept" {
		t.Errorf("the volume says %q", got)
	}
}
