package kubectl

import (
	"errors"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
)

// contextName is what the cluster, its user and the context of both are called, as on a port.
const contextName = "kubewalk"

// kubeconfig is the file that there would be. What is secret is left out of it, as kubectl config view does.
func kubeconfig() map[string]any {
	named := func(name string, what map[string]any) []any {
		return []any{map[string]any{"name": contextName, name: what}}
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": contextName,
		"clusters": named("cluster", map[string]any{"server": server, "certificate-authority-data": "DATA+OMITTED"}),
		"contexts": named("context", map[string]any{"cluster": contextName, "user": contextName}),
		"users":    named("user", map[string]any{"token": "REDACTED"}),
	}
}

// config is a command of kubectl config, which shows what leads to the cluster; there is one context.
func config(run func(*session) error) func(*session) error {
	return func(s *session) error {
		if s.flags.has("kubeconfig") {
			return errors.New("config shows what leads to the cluster in which it is typed: leave out --kubeconfig")
		}
		return run(s)
	}
}

// viewConfig is kubectl config view. Simplified: fields of -o kyaml are sorted. Upstream: kubectl pkg/cmd/config/view.go, ViewOptions.Run.
func viewConfig(s *session) error {
	if len(s.args) > 0 {
		return fmt.Errorf("unexpected arguments: %v", s.args)
	}
	s.flags.yes("minify") // there is no other context
	s.flags.yes("flatten")
	switch s.flags.text("output") {
	case "json":
		s.printf(kubeconfigJSON, contextName, server)
		return nil
	case "", "yaml":
		s.printf("%s", yamlText(kubeconfig()))
		return nil
	}
	return s.print([]map[string]any{kubeconfig()}, true)
}

// kubeconfigJSON is the same as JSON, whose fields are in the order of upstream's types (client-go tools/clientcmd/api/v1/types.go).
const kubeconfigJSON = `{
    "kind": "Config",
    "apiVersion": "v1",
    "clusters": [
        {
            "name": "%[1]s",
            "cluster": {
                "server": "%[2]s",
                "certificate-authority-data": "DATA+OMITTED"
            }
        }
    ],
    "users": [
        {
            "name": "%[1]s",
            "user": {
                "token": "REDACTED"
            }
        }
    ],
    "contexts": [
        {
            "name": "%[1]s",
            "context": {
                "cluster": "%[1]s",
                "user": "%[1]s"
            }
        }
    ],
    "current-context": "%[1]s"
}
`

// currentContext is kubectl config current-context. Upstream: kubectl pkg/cmd/config/current_context.go, RunCurrentContext.
func currentContext(s *session) error {
	s.printf("%s\n", contextName)
	return nil
}

// getContexts is kubectl config get-contexts. Upstream: kubectl pkg/cmd/config/get_contexts.go, GetContextsOptions.RunGetContexts.
func getContexts(s *session) error {
	var missing error
	found := len(s.args) == 0
	for _, name := range s.args {
		if name == contextName {
			found = true
		} else if missing == nil {
			missing = fmt.Errorf("context %s not found", name)
		}
	}
	switch o := s.flags.text("output"); {
	case o == "name" && found:
		s.printf("%s\n", contextName)
		return missing
	case o == "name":
		return missing
	case o != "":
		return fmt.Errorf("output must be one of '' or 'name': %s", o)
	}
	var rows [][]string
	if !s.flags.yes("no-headers") {
		rows = append(rows, []string{"CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"})
	}
	if found {
		rows = append(rows, []string{"*", contextName, contextName, contextName, ""})
	}
	s.printf("%s", s.widths.columns(rows))
	return missing
}

// getNames is kubectl config get-clusters and get-users: the one of each.
// Upstream: kubectl pkg/cmd/config/get_clusters.go, runGetClusters, and get_users.go.
func getNames(s *session) error {
	s.printf("NAME\n%s\n", contextName)
	return nil
}

// runClusterInfo is kubectl cluster-info. Upstream: kubectl pkg/cmd/clusterinfo/clusterinfo.go, ClusterInfoOptions.Run.
func runClusterInfo(s *session) error {
	services, err := s.items(api.KindOf(new(corev1.Service)), "kube-system", "kubernetes.io/cluster-service=true", "")
	if err != nil {
		return err
	}
	s.printf("Kubernetes control plane is running at %s\n", server)
	for _, obj := range services {
		service := obj.(*corev1.Service)
		name, title := service.Name, service.Labels["kubernetes.io/name"]
		if len(service.Spec.Ports) > 0 {
			port := service.Spec.Ports[0]
			if port.Name != "" {
				name += ":" + port.Name
			}
			if port.Name == "https" || port.Port == 443 {
				name = "https:" + name
			}
		}
		if title == "" {
			title = service.Name
		}
		s.printf("%s is running at %s/api/v1/namespaces/%s/services/%s/proxy\n", title, server, service.Namespace, name)
	}
	s.printf("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n")
	return nil
}
