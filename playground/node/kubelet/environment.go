package kubelet

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/node/kubelet/fieldpath"
	"kubewalk/playground/node/kubelet/kuberuntime"
	"kubewalk/playground/sim"
)

// GenerateRunContainerOptions says what a container is to be run with: its
// environment, its volumes, its command. An error becomes CreateContainerConfigError.
// Upstream: kubelet_pods.go GenerateRunContainerOptions, and ExpandContainerCommandAndArgs.
func (kl *Kubelet) GenerateRunContainerOptions(p *sim.Proc, pod *corev1.Pod, c *corev1.Container, podIP string) (*kuberuntime.RunContainerOptions, error) {
	if err := verifyUser(pod, c); err != nil {
		return nil, err
	}
	env, err := kl.makeEnvironmentVariables(p, pod, c, podIP)
	if err != nil {
		return nil, err
	}
	mounts, err := kl.makeMounts(pod, c, env)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	for _, v := range env {
		known[v.Name] = v.Value
	}
	o := &kuberuntime.RunContainerOptions{Env: env, Mounts: mounts}
	for _, s := range c.Command {
		o.Command = append(o.Command, expand(s, known))
	}
	for _, s := range c.Args {
		o.Args = append(o.Args, expand(s, known))
	}
	return o, nil
}

// expand replaces $(NAME); $$(NAME) stands for itself, and so does a name that
// isn't known. What is longer than a program can be started with is not all there.
// Upstream: third_party/forked/golang/expansion Expand.
func expand(text string, known ...map[string]string) string {
	var b strings.Builder
	for i := 0; i < len(text) && b.Len() <= cri.MostArgument; i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch end := strings.IndexByte(text[i:], ')'); {
		case text[i] == '$':
			b.WriteByte('$')
		case text[i] == '(' && end > 0:
			name := text[i+1 : i+end]
			i += end
			value, found := "$("+name+")", false
			for _, m := range known {
				if v, ok := m[name]; ok && !found {
					value, found = v, true
				}
			}
			b.WriteString(value)
		default:
			b.WriteByte('$')
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// makeEnvironmentVariables collects a container's environment: the Services of
// its namespace, what envFrom brings, and over that what env says, in its order.
// Upstream: kubelet_pods.go makeEnvironmentVariables.
func (kl *Kubelet) makeEnvironmentVariables(p *sim.Proc, pod *corev1.Pod, c *corev1.Container, podIP string) ([]cri.Variable, error) {
	services := kl.getServiceEnvVarMap(pod.Namespace, pod.Spec.EnableServiceLinks == nil || *pod.Spec.EnableServiceLinks)
	known := map[string]string{}
	var order []string
	set := func(name, value string) {
		if _, ok := known[name]; !ok {
			order = append(order, name)
		}
		known[name] = value
	}
	for _, from := range c.EnvFrom {
		var data map[string]string
		var err error
		switch {
		case from.ConfigMapRef != nil:
			data, err = kl.configMapData(p, pod.Namespace, from.ConfigMapRef.Name, from.ConfigMapRef.Optional)
		case from.SecretRef != nil:
			data, err = kl.secretData(p, pod.Namespace, from.SecretRef.Name, from.SecretRef.Optional)
		}
		if err != nil {
			return nil, err
		}
		for _, key := range sortedKeys(data) {
			set(from.Prefix+key, data[key])
		}
	}
	for i, bytes := 0, 0; i < len(c.Env) && bytes <= cri.MostArguments; i++ { // with more, no program starts
		e := &c.Env[i]
		value := e.Value
		if value != "" {
			value = expand(value, known, services)
		} else if e.ValueFrom != nil {
			v, ok, err := kl.valueFrom(p, pod, c, e.ValueFrom, podIP)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue // optional, and not there
			}
			value = v
		}
		set(e.Name, value)
		bytes += len(value)
	}
	out := make([]cri.Variable, 0, len(order)+len(services))
	for _, name := range order {
		out = append(out, cri.Variable{Name: name, Value: known[name]})
	}
	for _, name := range sortedKeys(services) {
		if _, ok := known[name]; !ok {
			out = append(out, cri.Variable{Name: name, Value: services[name]})
		}
	}
	return out, nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func isOptional(b *bool) bool { return b != nil && *b }

// configMapData is nil for an optional ConfigMap that isn't there.
func (kl *Kubelet) configMapData(p *sim.Proc, namespace, name string, optional *bool) (map[string]string, error) {
	obj, err := kl.configMaps.Get(p, namespace, name)
	if err != nil {
		if isOptional(optional) && apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	return obj.(*corev1.ConfigMap).Data, nil
}

func (kl *Kubelet) secretData(p *sim.Proc, namespace, name string, optional *bool) (map[string]string, error) {
	obj, err := kl.secrets.Get(p, namespace, name)
	if err != nil {
		if isOptional(optional) && apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	data := map[string]string{}
	for k, v := range obj.(*corev1.Secret).Data { // order: a copy
		data[k] = string(v)
	}
	return data, nil
}

// valueFrom reads one variable; ok is false for an optional one that isn't there.
func (kl *Kubelet) valueFrom(p *sim.Proc, pod *corev1.Pod, c *corev1.Container, from *corev1.EnvVarSource, podIP string) (value string, ok bool, err error) {
	switch {
	case from.FieldRef != nil:
		value, err = kl.podFieldSelectorRuntimeValue(pod, from.FieldRef.FieldPath, podIP)
		return value, err == nil, err
	case from.ResourceFieldRef != nil:
		of := c
		if name := from.ResourceFieldRef.ContainerName; name != "" {
			if of, err = fieldpath.FindContainer(pod, name); err != nil {
				return "", false, err
			}
		}
		value, err = fieldpath.ExtractContainerResourceValue(from.ResourceFieldRef, of, kl.options.Allocatable)
		return value, err == nil, err
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		data, err := kl.configMapData(p, pod.Namespace, ref.Name, ref.Optional)
		if err != nil {
			return "", false, err
		}
		if value, ok = data[ref.Key]; !ok && !isOptional(ref.Optional) {
			return "", false, fmt.Errorf("couldn't find key %v in ConfigMap %v/%v", ref.Key, pod.Namespace, ref.Name)
		}
		return value, ok, nil
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		data, err := kl.secretData(p, pod.Namespace, ref.Name, ref.Optional)
		if err != nil {
			return "", false, err
		}
		if value, ok = data[ref.Key]; !ok && !isOptional(ref.Optional) {
			return "", false, fmt.Errorf("couldn't find key %v in Secret %v/%v", ref.Key, pod.Namespace, ref.Name)
		}
		return value, ok, nil
	case from.FileKeyRef != nil:
		ref := from.FileKeyRef
		if v, mounted := kl.volumeManager.Volume(pod.UID, ref.VolumeName); mounted {
			if text, found := v.Read(ref.Path); found {
				for _, line := range strings.Split(text, "\n") {
					if name, v, is := strings.Cut(line, "="); is && strings.TrimSpace(name) == ref.Key {
						return strings.Trim(v, "'\""), true, nil
					}
				}
			}
		}
		if isOptional(ref.Optional) {
			return "", false, nil
		}
		return "", false, fmt.Errorf("environment variable key %q not found in file %q", ref.Key, ref.Path)
	}
	return "", false, nil
}

// podFieldSelectorRuntimeValue also knows what only the node knows.
// Upstream: kubelet_pods.go podFieldSelectorRuntimeValue.
func (kl *Kubelet) podFieldSelectorRuntimeValue(pod *corev1.Pod, path, podIP string) (string, error) {
	switch path {
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return pod.Spec.ServiceAccountName, nil
	case "status.hostIP", "status.hostIPs":
		return kl.options.InternalIP, nil
	case "status.podIP", "status.podIPs":
		if pod.Spec.HostNetwork {
			return kl.options.InternalIP, nil
		}
		return podIP, nil
	}
	return fieldpath.ExtractFieldPathAsString(pod, path)
}

// getServiceEnvVarMap is how Services were found before there was a cluster DNS.
// The API's own Service is always among them.
// Upstream: kubelet_pods.go getServiceEnvVarMap, and pkg/kubelet/envvars FromServices.
func (kl *Kubelet) getServiceEnvVarMap(namespace string, links bool) map[string]string {
	services, err := kl.serviceLister.List(labels.Everything())
	if err != nil {
		return nil
	}
	out := map[string]string{}
	of := func(s *corev1.Service) {
		ip := s.Spec.ClusterIP
		if ip == "" || ip == "None" || len(s.Spec.Ports) == 0 {
			return
		}
		name := strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
		first := strconv.Itoa(int(s.Spec.Ports[0].Port))
		out[name+"_SERVICE_HOST"], out[name+"_SERVICE_PORT"] = ip, first
		for i, port := range s.Spec.Ports {
			number := strconv.Itoa(int(port.Port))
			if port.Name != "" {
				out[name+"_SERVICE_PORT_"+strings.ToUpper(strings.ReplaceAll(port.Name, "-", "_"))] = number
			}
			protocol := string(port.Protocol)
			if protocol == "" {
				protocol = "TCP"
			}
			url := strings.ToLower(protocol) + "://" + ip + ":" + number
			if i == 0 {
				out[name+"_PORT"] = url
			}
			prefix := name + "_PORT_" + number + "_" + protocol
			out[prefix], out[prefix+"_PROTO"], out[prefix+"_PORT"], out[prefix+"_ADDR"] = url, strings.ToLower(protocol), number, ip
		}
	}
	for _, s := range services { // a Service of the Pod's own namespace wins
		if s.Namespace == "default" && s.Name == "kubernetes" && namespace != "default" {
			of(s)
		}
	}
	for _, s := range services {
		if s.Namespace == namespace && (links || s.Namespace == "default" && s.Name == "kubernetes") {
			of(s)
		}
	}
	return out
}

// makeMounts finds the volumes that a container mounts.
// Upstream: kubelet_pods.go makeMounts.
func (kl *Kubelet) makeMounts(pod *corev1.Pod, c *corev1.Container, env []cri.Variable) ([]cri.Mount, error) {
	var out []cri.Mount
	for i := range c.VolumeMounts {
		mount := &c.VolumeMounts[i]
		volume, ok := kl.volumeManager.Volume(pod.UID, mount.Name)
		if !ok {
			return nil, fmt.Errorf("cannot find volume %q to mount into container %q", mount.Name, c.Name)
		}
		sub := mount.SubPath
		if mount.SubPathExpr != "" {
			known := map[string]string{}
			for _, v := range env {
				known[v.Name] = v.Value
			}
			if missing := withoutValue(mount.SubPathExpr, known); len(missing) > 0 {
				return nil, fmt.Errorf("missing value for %s", strings.Join(missing, ", "))
			}
			switch sub = expand(mount.SubPathExpr, known); {
			case strings.HasPrefix(sub, "/"):
				return nil, fmt.Errorf("error SubPath `%s` must not be an absolute path", sub)
			case slices.Contains(strings.Split(sub, "/"), ".."):
				return nil, fmt.Errorf("unable to provision SubPath `%s`: must not contain '..'", sub)
			}
		}
		readOnly := mount.ReadOnly || volume.Atomic || volume.Image != ""
		for j := range pod.Spec.Volumes {
			if v := &pod.Spec.Volumes[j]; v.Name == mount.Name && v.PersistentVolumeClaim != nil {
				readOnly = readOnly || v.PersistentVolumeClaim.ReadOnly
			}
		}
		out = append(out, cri.Mount{Path: mount.MountPath, Volume: volume, SubPath: sub, ReadOnly: readOnly})
	}
	return out, nil
}

// withoutValue names the variables of a text that are unknown or empty. Upstream: container/helpers.go ExpandContainerVolumeMounts.
func withoutValue(text string, known map[string]string) []string {
	var out []string
	for {
		_, after, found := strings.Cut(strings.ReplaceAll(text, "$$", ""), "$(")
		name, rest, closed := strings.Cut(after, ")")
		if !found || !closed {
			slices.Sort(out)
			return out
		}
		if known[name] == "" {
			out = append(out, name)
		}
		text = rest
	}
}

// containerResources are a container's bounds in the runtime's units.
func containerResources(c *corev1.Container) cri.Resources { return kuberuntime.Resources(c) }
