package metrics

// Manifests are what the release's components.yaml has, in its order, without what has no effect here: volumes, security contexts.
// Upstream: manifests/base.
var Manifests = []string{
	`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"metrics-server","namespace":"kube-system","labels":{"k8s-app":"metrics-server"}}}`,
	`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"system:aggregated-metrics-reader","labels":{` +
		`"k8s-app":"metrics-server","rbac.authorization.k8s.io/aggregate-to-admin":"true","rbac.authorization.k8s.io/aggregate-to-edit":"true",` +
		`"rbac.authorization.k8s.io/aggregate-to-view":"true"}},` +
		`"rules":[{"apiGroups":["metrics.k8s.io"],"resources":["pods","nodes"],"verbs":["get","list","watch"]}]}`,
	`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"system:metrics-server","labels":{"k8s-app":"metrics-server"}},` +
		`"rules":[{"apiGroups":[""],"resources":["nodes/metrics"],"verbs":["get"]},` +
		`{"apiGroups":[""],"resources":["pods","nodes"],"verbs":["get","list","watch"]}]}`,
	binding("RoleBinding", `"name":"metrics-server-auth-reader","namespace":"kube-system"`, "Role", "extension-apiserver-authentication-reader"),
	binding("ClusterRoleBinding", `"name":"metrics-server:system:auth-delegator"`, "ClusterRole", "system:auth-delegator"),
	binding("ClusterRoleBinding", `"name":"system:metrics-server"`, "ClusterRole", "system:metrics-server"),
	`{"apiVersion":"v1","kind":"Service","metadata":{"name":"metrics-server","namespace":"kube-system","labels":{"k8s-app":"metrics-server"}},"spec":{` +
		`"ports":[{"appProtocol":"https","name":"https","port":443,"protocol":"TCP","targetPort":"https"}],"selector":{"k8s-app":"metrics-server"}}}`,
	`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"metrics-server","namespace":"kube-system","labels":{"k8s-app":"metrics-server"}},` +
		`"spec":{"selector":{"matchLabels":{"k8s-app":"metrics-server"}},"strategy":{"rollingUpdate":{"maxUnavailable":0}},` +
		`"template":{"metadata":{"labels":{"k8s-app":"metrics-server"}},"spec":{"serviceAccountName":"metrics-server",` +
		`"priorityClassName":"system-cluster-critical","nodeSelector":{"kubernetes.io/os":"linux"},"containers":[{"name":"metrics-server",` +
		`"image":"registry.k8s.io/metrics-server/metrics-server:v0.9.0","imagePullPolicy":"IfNotPresent",` +
		`"args":["--cert-dir=/tmp","--secure-port=10250","--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",` +
		`"--kubelet-use-node-status-port","--metric-resolution=15s"],"ports":[{"containerPort":10250,"name":"https","protocol":"TCP"}],` +
		`"resources":{"requests":{"cpu":"100m","memory":"200Mi"}},` +
		`"readinessProbe":{"failureThreshold":3,"httpGet":{"path":"/readyz","port":"https","scheme":"HTTPS"},"initialDelaySeconds":20,"periodSeconds":10},` +
		`"livenessProbe":{"failureThreshold":3,"httpGet":{"path":"/livez","port":"https","scheme":"HTTPS"},"periodSeconds":10}}]}}}}`,
	`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1beta1.metrics.k8s.io","labels":{"k8s-app":"metrics-server"}},` +
		`"spec":{"group":"metrics.k8s.io","groupPriorityMinimum":100,"insecureSkipTLSVerify":true,` +
		`"service":{"name":"metrics-server","namespace":"kube-system"},"version":"v1beta1","versionPriority":100}}`,
}

func binding(kind, metadata, role, name string) string {
	return `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"` + kind + `","metadata":{` + metadata + `,"labels":{"k8s-app":"metrics-server"}},` +
		`"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"` + role + `","name":"` + name + `"},` +
		`"subjects":[{"kind":"ServiceAccount","name":"metrics-server","namespace":"kube-system"}]}`
}
