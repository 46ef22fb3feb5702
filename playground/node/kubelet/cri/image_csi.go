//go:build !js || cel

package cri

import (
	"strconv"
	"strings"
)

// storageSidecars are the programs in the Pods of a storage driver, which run where a cluster has one: the sidecars of kubernetes-csi
// and a driver for disks of a cloud that does not exist. See packages operator/csi/*.
// Upstream: their Dockerfiles.
func init() {
	for _, name := range []string{"csi-provisioner", "csi-attacher", "csi-resizer", "csi-snapshotter", "snapshot-controller",
		"csi-node-driver-registrar", "livenessprobe"} {
		rareImages = append(rareImages, storageProgram("registry.k8s.io/sig-storage/"+name, name))
	}
	rareImages = append(rareImages, storageProgram("kubewalk.dev/disk-driver", "disk-driver"))
}

func storageProgram(image, name string) *Behaviour {
	return &Behaviour{Images: []string{image}, SizeBytes: 26 << 20, Entrypoint: []string{"/" + name}, Memory: 18 << 20, shellless: true,
		Read: func(argv []string) (Program, bool) {
			if len(argv) == 0 || base(argv[0]) != name {
				return Program{}, false
			}
			p := Program{Forever: true, CPU: milli, Guest: name}
			if name == "livenessprobe" {
				p.Serves, p.Ports = true, []int32{9808}
				for _, arg := range argv {
					if port, err := strconv.ParseInt(strings.TrimPrefix(arg, "--health-port="), 10, 32); err == nil {
						p.Ports = []int32{int32(port)}
					}
				}
			}
			return p, true
		}}
}
