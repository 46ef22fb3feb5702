package kubeadm

import (
	"fmt"
	"strings"
)

// bootstrapGroup is who has a token of `kubeadm init`. Upstream: NodeBootstrapTokenAuthGroup.
const bootstrapGroup = "system:bootstrappers:kubeadm:default-node-token"

const clusterConfiguration = `apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
certificatesDir: ` + pki + `
clusterName: kubernetes
etcd:
  local:
    dataDir: /var/lib/etcd
imageRepository: registry.k8s.io
kubernetesVersion: ` + Version + `
networking:
  dnsDomain: cluster.local
  serviceSubnet: 10.96.0.0/12
`

func configMap(namespace, name, key, text string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: %s, name: %s}\ndata:\n  %s: |\n    %s\n", namespace, name, key,
		strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    "))
}

// binding gives a group or a user a role. kind is ClusterRole or Role, the latter in a namespace.
func binding(name, namespace, kind, role string, subjects ...string) string {
	bound := "ClusterRoleBinding"
	if namespace != "" {
		bound, namespace = "RoleBinding", "namespace: "+namespace+", "
	}
	text := fmt.Sprintf("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: %s\nmetadata: {%sname: \"%s\"}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s, name: \"%s\"}\nsubjects:\n",
		bound, namespace, name, kind, role)
	for _, s := range subjects {
		if who, account := strings.CutPrefix(s, "ServiceAccount "); account {
			text += fmt.Sprintf("- {kind: ServiceAccount, namespace: kube-system, name: %s}\n", who)
			continue
		}
		kind, who, _ := strings.Cut(s, " ")
		text += fmt.Sprintf("- {apiGroup: rbac.authorization.k8s.io, kind: %s, name: \"%s\"}\n", kind, who)
	}
	return text
}

// readerOf is a role that may read one ConfigMap.
func readerOf(name, namespace, configMap string) string {
	return fmt.Sprintf("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {namespace: %s, name: \"%s\"}\nrules:\n- {apiGroups: [\"\"], resources: [configmaps], resourceNames: [%s], verbs: [get]}\n",
		namespace, name, configMap)
}

// uploadedRoles lets who joins read a configuration.
func uploadedRoles(name, configMap string) string {
	return readerOf(name, "kube-system", configMap) + binding(name, "kube-system", "Role", name, "Group "+bootstrapGroup, "Group system:nodes")
}

var (
	adminBinding = binding("kubeadm:cluster-admins", "", "ClusterRole", "cluster-admin", "Group kubeadm:cluster-admins")

	// tokenSteps are upstream's phases/bootstraptoken/node/tlsbootstrap.go.
	tokenSteps = []struct{ line, manifest string }{
		{"Configured RBAC rules to allow Node Bootstrap tokens to get nodes",
			"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: \"kubeadm:get-nodes\"}\nrules:\n- {apiGroups: [\"\"], resources: [nodes], verbs: [get]}\n" +
				binding("kubeadm:get-nodes", "", "ClusterRole", "kubeadm:get-nodes", "Group "+bootstrapGroup)},
		{"Configured RBAC rules to allow Node Bootstrap tokens to post CSRs in order for nodes to get long term certificate credentials",
			binding("kubeadm:kubelet-bootstrap", "", "ClusterRole", "system:node-bootstrapper", "Group "+bootstrapGroup)},
		{"Configured RBAC rules to allow the csrapprover controller automatically approve CSRs from a Node Bootstrap Token",
			binding("kubeadm:node-autoapprove-bootstrap", "", "ClusterRole", "system:certificates.k8s.io:certificatesigningrequests:nodeclient", "Group "+bootstrapGroup)},
		{"Configured RBAC rules to allow certificate rotation for all node client certificates in the cluster",
			binding("kubeadm:node-autoapprove-certificate-rotation", "", "ClusterRole", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "Group system:nodes")},
		{"Configured RBAC rules to allow the API server kubelet client certificate to access the kubelet API",
			binding("kubeadm:apiserver-kubelet-client", "", "ClusterRole", "system:kubelet-api-admin", "User kube-apiserver-kubelet-client")},
	}

	clusterInfoRoles = readerOf("kubeadm:bootstrap-signer-clusterinfo", "kube-public", "cluster-info") +
		binding("kubeadm:bootstrap-signer-clusterinfo", "kube-public", "Role", "kubeadm:bootstrap-signer-clusterinfo", "User system:anonymous")
)

func serviceAccount(name string) string {
	return "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {namespace: kube-system, name: " + name + "}\n"
}

// coreDNS is upstream's phases/addons/dns/manifests.go.
var coreDNS = configMap("kube-system", "coredns", "Corefile", `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}`) + `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "system:coredns"}
rules:
- {apiGroups: [""], resources: [endpoints, services, pods, namespaces], verbs: [list, watch]}
- {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list, watch]}
` + binding("system:coredns", "", "ClusterRole", "system:coredns", "ServiceAccount coredns") + serviceAccount("coredns") + `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: coredns
  namespace: kube-system
  labels: {k8s-app: kube-dns}
spec:
  replicas: 2
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 1}
  selector:
    matchLabels: {k8s-app: kube-dns}
  template:
    metadata:
      labels: {k8s-app: kube-dns}
    spec:
      priorityClassName: system-cluster-critical
      serviceAccountName: coredns
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - weight: 100
            podAffinityTerm:
              labelSelector:
                matchExpressions:
                - {key: k8s-app, operator: In, values: [kube-dns]}
              topologyKey: kubernetes.io/hostname
      tolerations:
      - {key: CriticalAddonsOnly, operator: Exists}
      - {key: ` + controlPlaneRole + `, effect: NoSchedule}
      nodeSelector: {kubernetes.io/os: linux}
      containers:
      - name: coredns
        image: registry.k8s.io/coredns/coredns:` + coreDNSVersion + `
        imagePullPolicy: IfNotPresent
        resources:
          limits: {memory: 170Mi}
          requests: {cpu: 100m, memory: 70Mi}
        args: [-conf, /etc/coredns/Corefile]
        volumeMounts:
        - {mountPath: /etc/coredns, name: config-volume, readOnly: true}
        ports:
        - {containerPort: 53, name: dns, protocol: UDP}
        - {containerPort: 53, name: dns-tcp, protocol: TCP}
        - {containerPort: 9153, name: metrics, protocol: TCP}
        - {containerPort: 8080, name: liveness-probe, protocol: TCP}
        - {containerPort: 8181, name: readiness-probe, protocol: TCP}
        livenessProbe:
          httpGet: {path: /health, port: liveness-probe, scheme: HTTP}
          initialDelaySeconds: 60
          timeoutSeconds: 5
          failureThreshold: 5
        readinessProbe:
          httpGet: {path: /ready, port: readiness-probe, scheme: HTTP}
      dnsPolicy: Default
      volumes:
      - name: config-volume
        configMap:
          name: coredns
          items:
          - {key: Corefile, path: Corefile}
---
apiVersion: v1
kind: Service
metadata:
  name: kube-dns
  namespace: kube-system
  labels: {k8s-app: kube-dns, kubernetes.io/cluster-service: "true", kubernetes.io/name: CoreDNS}
spec:
  clusterIP: 10.96.0.10
  ports:
  - {name: dns, port: 53, protocol: UDP, targetPort: 53}
  - {name: dns-tcp, port: 53, protocol: TCP, targetPort: 53}
  - {name: metrics, port: 9153, protocol: TCP, targetPort: 9153}
  selector: {k8s-app: kube-dns}
`

const kubeProxyConfiguration = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection:
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
`

// kubeProxy is upstream's phases/addons/proxy/manifests.go.
var kubeProxy = serviceAccount("kube-proxy") +
	binding("kubeadm:node-proxier", "", "ClusterRole", "system:node-proxier", "ServiceAccount kube-proxy") + "---\n" +
	configMap("kube-system", "kube-proxy", "config.conf", kubeProxyConfiguration) + readerOf("kube-proxy", "kube-system", "kube-proxy") +
	binding("kube-proxy", "kube-system", "Role", "kube-proxy", "Group "+bootstrapGroup) + `---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  labels: {k8s-app: kube-proxy}
  name: kube-proxy
  namespace: kube-system
spec:
  selector:
    matchLabels: {k8s-app: kube-proxy}
  updateStrategy: {type: RollingUpdate}
  template:
    metadata:
      labels: {k8s-app: kube-proxy}
    spec:
      priorityClassName: system-node-critical
      containers:
      - name: kube-proxy
        image: registry.k8s.io/kube-proxy:` + Version + `
        imagePullPolicy: IfNotPresent
        command: [/usr/local/bin/kube-proxy, --config=/var/lib/kube-proxy/config.conf, --hostname-override=$(NODE_NAME)]
        securityContext: {privileged: true}
        volumeMounts:
        - {mountPath: /var/lib/kube-proxy, name: kube-proxy}
        env:
        - name: NODE_NAME
          valueFrom:
            fieldRef: {fieldPath: spec.nodeName}
      hostNetwork: true
      serviceAccountName: kube-proxy
      volumes:
      - name: kube-proxy
        configMap: {name: kube-proxy}
      tolerations:
      - {operator: Exists}
      nodeSelector: {kubernetes.io/os: linux}
`
