package cluster_test

import (
	"testing"
	"time"
)

// TestSharedDevices: Pods have parts of one device as long as its capacity lasts, and what one gives back the next one gets.
func TestSharedDevices(t *testing.T) {
	c := newDeviceCluster(t)
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"nic"},"spec":{
		"selectors":[{"cel":{"expression":"device.driver == 'nic.example.com' && device.allowMultipleAllocations"}}]}}`)
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"nic"},"spec":{"driver":"nic.example.com",
		"nodeName":"node-1","pool":{"name":"nic","generation":1,"resourceSliceCount":1},"devices":[{"name":"eth1","allowMultipleAllocations":true,
		"capacity":{"bandwidth":{"value":"10G","requestPolicy":{"default":"1G","validRange":{"min":"1G","step":"1G"}}}}}]}}`)
	c.apply(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"name":"nic","namespace":"default"},"spec":{"spec":{"devices":{
		"requests":[{"name":"r","exactly":{"deviceClassName":"nic","capacity":{"requests":{"bandwidth":"4500M"}}}}]}}}}`)
	for _, name := range []string{"a", "b", "late"} {
		c.pod(name, `"resourceClaimTemplateName":"nic"`)
		c.run(10 * time.Second)
	}
	shares := map[string]bool{}
	for _, name := range []string{"a", "b"} {
		claim := c.claims(name + "-gpu-")[0]
		if claim.Status.Allocation == nil {
			t.Fatalf("%s: %s", name, unschedulable(c.get(name)))
		}
		r := claim.Status.Allocation.Devices.Results[0]
		of := r.ConsumedCapacity["bandwidth"]
		if r.Device != "eth1" || of.String() != "5000000000" || r.ShareID == nil || shares[string(*r.ShareID)] {
			t.Errorf("%s has %+v", name, r)
		}
		shares[string(*r.ShareID)] = true
	}
	if got, want := unschedulable(c.get("late")), "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, "+
		"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	c.delete("pods", "a")
	c.run(40 * time.Second)
	if p := c.get("late"); p.Spec.NodeName != "node-1" {
		t.Errorf("after another one is gone: %s", unschedulable(p))
	}
}
