//go:build !js || cel

package cluster

import "testing"

// TestUserDataOf is what a machine of the toy cloud finds in its user data, and that without kubeadm it does not join.
func TestUserDataOf(t *testing.T) {
	text := "write_files:\n  - name: provider-id\n    value: 'toy:///{{ ds.meta_data.instance_id }}'\n  - name: node-labels\n    value: 'a=b,c=d'\n" +
		"  taints:\n  - effect: NoSchedule\n    key: node.cluster.x-k8s.io/uninitialized\nruncmd:\n"
	n := Node{}
	first, joins := userDataOf(text, "vm-7", &n)
	if joins {
		t.Error("it joins without kubeadm")
	}
	if first.providerID != "toy:///vm-7" || len(first.taints) != 1 || first.taints[0].Key != "node.cluster.x-k8s.io/uninitialized" {
		t.Errorf("got %+v", first)
	}
	if n.Labels["a"] != "b" || n.Labels["c"] != "d" {
		t.Errorf("labels are %v", n.Labels)
	}
	if _, joins := userDataOf(text+"  - kubeadm join --config x\n", "vm-7", &n); !joins {
		t.Error("it does not join")
	}
}
