package provisioner

import (
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/volume"
)

// A volume is made for a claim that asks this provisioner, has none yet and is not about to go.
func TestShouldProvision(t *testing.T) {
	now := metav1.NewTime(time.Unix(100, 0))
	for name, c := range map[string]struct {
		change func(c *corev1.PersistentVolumeClaim)
		want   bool
	}{
		"asked":           {func(*corev1.PersistentVolumeClaim) {}, true},
		"has one":         {func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "pv-1" }, false},
		"about to go":     {func(c *corev1.PersistentVolumeClaim) { c.DeletionTimestamp = &now }, false},
		"another's":       {func(c *corev1.PersistentVolumeClaim) { c.Annotations[volume.AnnStorageProvisioner] = "example.com/nfs" }, false},
		"nobody's so far": {func(c *corev1.PersistentVolumeClaim) { c.Annotations = nil }, false},
	} {
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default",
			Annotations: map[string]string{volume.AnnStorageProvisioner: ProvisionerName}}}
		c.change(claim)
		if got := shouldProvision(claim); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
