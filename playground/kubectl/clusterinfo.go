package kubectl

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
)

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
