package cluster

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/appsv1"
)

// The last of two sizes that are asked for at one moment is the one that stays.
func TestScaledTwiceAtOnce(t *testing.T) {
	for seed := range uint64(12) {
		config := DefaultConfig()
		config.Controllers = []string{"replicaset-controller"}
		c := New(config, seed+1)
		manifest := `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":3,` +
			strings.ReplaceAll(selector+template, "NAME", "web") + `}}`
		six, five := int32(6), int32(5)
		inputs := []Input{
			{At: 40 * time.Second, Kind: Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &six}, // planned, and nobody waits for it
			{At: 12 * time.Second, Kind: Apply, Manifest: []byte(manifest)},
			{At: 20 * time.Second, Kind: Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &six},
			{At: 20 * time.Second, Kind: Scale, Resource: "replicasets", Namespace: "default", Name: "web", Replicas: &five},
		}
		for _, in := range inputs {
			if err := c.Schedule(in); err != nil {
				t.Fatal(err)
			}
		}
		c.RunUntil(20*time.Second + 100*time.Millisecond)
		if rs := c.objects("replicasets")[0].(*appsv1.ReplicaSet); *rs.Spec.Replicas != five {
			t.Errorf("seed %d: %d replicas", seed+1, *rs.Spec.Replicas)
		}
		c.Close()
	}
}
