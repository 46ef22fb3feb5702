//go:build !js || cel

package kubectl

import (
	"encoding/json"
	"errors"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
)

// dumped are what cluster-info dump prints of each namespace, in its order.
var dumped = []string{"events", "replicationcontrollers", "services", "daemonsets.apps", "deployments.apps", "replicasets.apps", "pods"}

// dumpCluster is kubectl cluster-info dump: lists of objects and the logs of all containers, for somebody who looks for what is wrong.
//
// Absent: a folder to write all of it to.
// Upstream: kubectl pkg/cmd/clusterinfo/clusterinfo_dump.go, ClusterInfoDumpOptions.Run.
func dumpCluster(s *session) error {
	if _, err := s.dump("nodes", ""); err != nil {
		return err
	}
	namespaces := []string{"kube-system", s.namespace}
	switch {
	case s.flags.yes("all-namespaces"):
		all, err := s.items(api.KindOf(new(corev1.Namespace)), "", "", "")
		if err != nil {
			return err
		}
		namespaces = nil
		for _, n := range all {
			namespaces = append(namespaces, n.GetName())
		}
	case s.flags.has("namespaces"):
		namespaces = split(s.flags.all("namespaces"))
	}
	for _, namespace := range namespaces {
		var pods []api.Object
		for _, resource := range dumped {
			var err error
			if pods, err = s.dump(resource, namespace); err != nil {
				return err
			}
		}
		for _, obj := range pods {
			s.dumpLogs(obj.(*corev1.Pod))
		}
	}
	return nil
}

// dump prints the objects of a kind.
func (s *session) dump(resource, namespace string) ([]api.Object, error) {
	got, err := s.list(s.resolve(resource), namespace, "", "", false)
	if err != nil {
		return nil, err
	}
	list := got.(api.List)
	items := list.GetItems()
	text, err := api.Encode(api.WithoutItemKinds(list))
	if err != nil {
		return nil, err
	}
	switch s.flags.text("output") {
	case "", "json":
		s.printf("%s", indented(json.RawMessage(text)))
	case "yaml": // one document for each list. Upstream: cli-runtime pkg/printers/yaml.go, YAMLPrinter.PrintObj.
		var whole any
		if err := decode(text, &whole); err != nil {
			return nil, err
		}
		if s.out.Len() > 0 {
			s.printf("---\n")
		}
		s.printf("%s", yamlText(whole))
	case "kyaml":
		s.printf("%s", kyamlText(json.RawMessage(text)))
	case "name":
		return nil, errors.New("list types are not supported by name printing: *v1." + api.KindOfList(list).Kind + "List")
	default:
		var whole map[string]any
		if err := decode(text, &whole); err != nil {
			return nil, err
		}
		err = s.print([]map[string]any{whole}, true)
	}
	return items, err
}

// dumpLogs prints the logs of a Pod's containers, and why there are none.
func (s *session) dumpLogs(pod *corev1.Pod) {
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		at := "logs for container " + c.Name + " of pod " + pod.Namespace + "/" + pod.Name + " ====\n"
		s.printf("==== START %s", at)
		got, err := client.As[*client.Text](s.do(s.log(pod, c.Name)))
		if err != nil {
			s.printf("Request log error: %s\n", err)
		} else {
			s.printf("%s", got.Body)
		}
		s.printf("==== END %s", at)
	}
}
