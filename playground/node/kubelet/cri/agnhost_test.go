package cri_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// TestMountTest: what agnhost prints of its files, which is what upstream's end-to-end tests of volumes read.
func TestMountTest(t *testing.T) {
	config := cri.NewVolume()
	config.Atomic = true
	config.Replace(map[string]string{"key": "value", "own": "x"}, map[string]int32{"": 0o400, "own": 0o640})
	memory := cri.NewVolume()
	memory.InMemory = true
	mounts := []cri.Mount{{Path: "/etc/config", Volume: config, ReadOnly: true}, {Path: "/memory", Volume: memory}, {Path: "/disk", Volume: cri.NewVolume()}}
	for _, c := range []struct {
		name, args string
		log        string // lines split at |
		code       int32
	}{
		{"content and mode", "mounttest --file_content=/etc/config/key --file_mode=/etc/config/key",
			`mode of file "/etc/config/key": -r--------|content of file "/etc/config/key": value`, 0},
		{"a mode of its own", "mounttest --file_mode=/etc/config/own", `mode of file "/etc/config/own": -rw-r-----`, 0},
		{"nothing there", "mounttest --file_content=/etc/config/other",
			`error reading file content for "/etc/config/other": open /etc/config/other: no such file or directory`, 1},
		{"a new file", "mounttest --fs_type=/memory --new_file_0644=/memory/f --file_perm=/memory/f",
			`mount type of "/memory": tmpfs|content of file "/memory/f": mount-tester new file|perms of file "/memory/f": -rw-r--r--`, 0},
		{"another mode", "mounttest --new_file_0777=/disk/f --file_perm=/disk/f",
			`content of file "/disk/f": mount-tester new file|perms of file "/disk/f": -rwxrwxrwx`, 0},
		{"directories", "mounttest --fs_type=/disk --file_perm=/disk", `mount type of "/disk": ext4|perms of file "/disk": -rwxrwxrwx`, 0},
		{"not to be written", "mounttest --new_file_0644=/etc/config/f", `error writing new file "/etc/config/f": open /etc/config/f: read-only file system`, 1},
		{"hosts", "etc-hosts", "# Kubernetes-managed hosts file.|127.0.0.1\tlocalhost|::1\tlocalhost ip6-localhost ip6-loopback|fe00::0\tip6-localnet|" +
			"fe00::0\tip6-mcastprefix|fe00::1\tip6-allnodes|fe00::2\tip6-allrouters|10.244.1.2\tp", 0},
		{"arguments", "entrypoint-tester a b", "[/agnhost entrypoint-tester a b]", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := world(t)
			r := cri.Start(k, cri.Options{Node: "node-1", PodCIDR: "10.244.1.0/24"})
			var id string
			k.Start("kubelet/node-1").Go("test", func(p *sim.Proc) {
				sandbox, err := r.RunPodSandbox(p, cri.PodSandboxConfig{Name: "p", Namespace: "default", UID: "1"})
				if err == nil {
					id, err = r.CreateContainer(p, sandbox, cri.ContainerConfig{Name: "app", Image: "registry.k8s.io/e2e-test-images/agnhost:2.63.0", Mounts: mounts,
						Program: cri.NewProgram("registry.k8s.io/e2e-test-images/agnhost:2.63.0", nil, strings.Fields(c.args))})
				}
				if err == nil {
					err = r.StartContainer(p, id)
				}
				if err != nil {
					t.Error(err)
				}
			})
			k.RunUntil(time.Minute)
			s, err := r.ContainerStatus(id)
			if err != nil {
				t.Fatal(err)
			}
			lines, _ := r.Logs(id)
			var texts []string
			for _, l := range lines {
				texts = append(texts, l.Text)
			}
			if log := strings.Join(texts, "|"); log != c.log || s.State != cri.ContainerExited || s.ExitCode != c.code {
				t.Errorf("state %v, code %d, log\n%s\nwant %d\n%s", s.State, s.ExitCode, log, c.code, c.log)
			}
		})
	}
}
