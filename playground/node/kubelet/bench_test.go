package kubelet_test

import (
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// BenchmarkHundredPods starts 100 Pods on one node and lets ten minutes pass.
func BenchmarkHundredPods(b *testing.B) {
	for range b.N {
		k := sim.New(1, time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC), trace.NewRecorder(trace.Off))
		server := apiserver.New(k.Start("kube-apiserver"), store.New(k.Start("etcd"), store.DefaultOptions()), apiserver.DefaultOptions())
		runtime := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
		kubelet.Start(k, server, runtime, kubelet.Options{Node: "node-1"})
		k.Start("kubectl").Go("create", func(p *sim.Proc) {
			p.Sleep(time.Second)
			for i := range 100 {
				if _, err := client.New(server).CoreV1().Pods("default").Create(p, bound(fmt.Sprint("web-", i), nil), metav1.CreateOptions{}); err != nil {
					b.Error(err)
				}
			}
		})
		k.RunUntil(10 * time.Minute)
		containers, err := runtime.ListContainers()
		if err != nil || len(containers) != 100 {
			b.Fatalf("%d containers, %v", len(containers), err)
		}
		k.Close()
	}
}
