//go:build !js || cel

package cri

// The images of a control plane. Where a cluster has its programs run in containers, each of these is a component of its own (Guest);
// elsewhere it is a server of which nothing else is known. Upstream: cmd/kubeadm/app/images.
func init() {
	for _, b := range []struct {
		name  string
		size  int64
		path  string
		ports []int32
	}{
		{"etcd", 23653250, "etcd", []int32{2381}},
		{"kube-apiserver", 27700000, "kube-apiserver", []int32{6443}},
		{"kube-controller-manager", 23200000, "kube-controller-manager", []int32{10257}},
		{"kube-scheduler", 17400000, "kube-scheduler", []int32{10259}},
		{"kube-proxy", 25900000, "/usr/local/bin/kube-proxy", []int32{10256}},
	} {
		program := Program{Forever: true, Serves: true, Ports: b.ports, CPU: 20 * milli}
		if b.name != "kube-proxy" { // of which a node has its own beside its containers, where a cluster has a network
			program.Guest = b.name
		}
		rareImages = append(rareImages, &Behaviour{
			Images: []string{"registry.k8s.io/" + b.name}, SizeBytes: b.size, Entrypoint: []string{b.path}, Memory: 40 << 20, shellless: true,
			Read: func(argv []string) (Program, bool) {
				if base(argv[0]) == "etcd" && besideProgram != nil {
					if own, ok := besideProgram(argv); ok {
						return own, true
					}
				}
				return program, true
			},
		})
	}
	rareImages = append(rareImages, &Behaviour{Images: []string{"registry.k8s.io/coredns/coredns"}, SizeBytes: 22400000,
		Entrypoint: []string{"/coredns"}, Memory: 20 << 20, shellless: true, Ports: []int32{8080, 8181, 53}})
}

// besideProgram is what etcd does that stores something for a program of its Pod; nil where that is not simulated. ok is false for that of
// a control plane.
var besideProgram func(argv []string) (p Program, ok bool)
