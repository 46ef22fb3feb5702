package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func init() {
	register(&ingredient{name: "kubeadm", controllers: []string{"deployment-controller", "daemonset-controller", "certificate-controller",
		"bootstrap-signer-controller"}, alone: true, prepare: (*dice).kubeadmInit, act: (*dice).kubeadm, unsettled: kubeadmUnsettled})
}

// installer is what components of kubeadm begin with, before the node.
const installer = "kubeadm/"

var staticPods = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// networkPlugin is what has to be on each node before it is ready.
const networkPlugin = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: network, namespace: kube-system}
spec:
  selector: {matchLabels: {app: network}}
  template:
    metadata: {labels: {app: network}}
    spec:
      hostNetwork: true
      terminationGracePeriodSeconds: 1
      tolerations: [{operator: Exists}]
      volumes: [{name: cni, hostPath: {path: /etc/cni/net.d}}]
      containers:
      - name: install
        image: busybox:1.37
        command: [sh, -c]
        args: ["echo bridge > /cni/1.conf; sleep inf"]
        volumeMounts: [{name: cni, mountPath: /cni}]
`

// kubeadmInit has a cluster made by kubeadm, and a network plugin installed.
func (d *dice) kubeadmInit(cfg *cluster.Config) {
	atLeast(2, cfg)
	cfg.Kubeadm, cfg.AllKinds, cfg.LeaderElect, cfg.Authorization = true, true, true, cluster.RBAC
	cfg.Schedulers, cfg.ControllerManagers = 0, 0
	d.add(cluster.Input{At: 500 * time.Millisecond, Kind: cluster.Start, Component: installer + cfg.Nodes[0].Name})
	for _, at := range []time.Duration{FirstFault, FaultsEnd, FaultsEnd + 30*time.Second} { // the API server may be away
		d.add(cluster.Input{At: at, Kind: cluster.Start, Component: installer + cfg.Nodes[1].Name}) // somebody has to take Pods
		d.install(at, networkPlugin)
	}
}

// kubeadm has machines join, deletes mirror Pods, and has containers of the control plane crash.
func (d *dice) kubeadm(at time.Duration) {
	nodes := d.scenario.Cluster.Nodes
	first := nodes[0].Name
	switch d.IntN(6) {
	case 0, 1, 2:
		d.add(cluster.Input{At: at, Kind: cluster.Start, Component: installer + nodes[1+d.IntN(len(nodes)-1)].Name})
	case 3, 4:
		d.kubectl(at, "delete", "pod", staticPods[d.IntN(len(staticPods))]+"-"+first, "-n", "kube-system", "--wait=false")
	default:
		d.add(cluster.Input{At: at, Kind: cluster.CrashContainer, Namespace: "kube-system", Name: staticPods[d.IntN(len(staticPods))] + "-" + first})
	}
}

// kubeadmUnsettled: a machine whose kubelet runs has a Node that is ready, each file of a static Pod has its mirror, which runs, and nobody waits for a
// certificate.
func kubeadmUnsettled(s trace.State, say sayer) {
	kubeadm := false
	nodes, pods := map[string]*corev1.Node{}, map[string]*corev1.Pod{}
	for _, c := range s.Cells(trace.CellObject) {
		switch o := s[c].(type) {
		case *corev1.Node:
			nodes[o.Name] = o
		case *corev1.Pod:
			pods[c.Key] = o
		case *corev1.ConfigMap:
			kubeadm = kubeadm || c.Key == "kube-system/kubeadm-config"
		case *certificatesv1.CertificateSigningRequest:
			if len(o.Status.Certificate) == 0 {
				say("certificate signing request %s waits", o.Name)
			}
		}
	}
	if !kubeadm {
		return
	}
	for _, c := range s.Cells(trace.CellComponent) {
		name, is := strings.CutPrefix(c.Owner, "kubelet/")
		if !is {
			continue
		}
		node := nodes[name]
		if node == nil || !slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
			return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
		}) {
			say("machine %s has joined, and its node is not ready", name)
		}
	}
	for _, name := range staticPods {
		key := fmt.Sprintf("kube-system/%s-node-1", name)
		if pod := pods[key]; pod == nil || pod.Status.Phase != corev1.PodRunning || !ready(pod) {
			say("static pod %s has no mirror that says it runs", key)
		}
	}
}
