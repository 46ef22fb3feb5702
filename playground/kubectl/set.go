package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// setAll changes the Pod spec of each object that the arguments name. mutate
// says what it couldn't change, or why it changes nothing. missing is what the command line lacks, which is said only when the objects are there.
// Upstream: kubectl pkg/cmd/set/set_image.go, SetImageOptions.Run, and its like.
func (s *session) setAll(resources []string, what, did string, missing error, mutate func(*info, *corev1.PodSpec) (aggregate, error)) error {
	infos, err := s.fetched(resources)
	if err != nil {
		return err
	}
	if s.flags.yes("all") && s.flags.has("selector") {
		return errors.New("cannot set --all and --selector at the same time")
	}
	if missing != nil {
		return missing
	}
	var failed aggregate
	for _, i := range infos {
		changed := i.object.DeepCopyObject()
		spec := podSpecOf(changed)
		if spec == nil {
			failed = append(failed, fmt.Errorf("error: %s/%s the object is not a pod or does not have a pod template: %s", i.kind.Resource, i.name, i.goType()))
			continue
		}
		wrong, err := mutate(i, spec)
		failed = append(failed, wrong...)
		if err != nil {
			failed = append(failed, fmt.Errorf("error: %s/%s %w", i.kind.Resource, i.name, err))
			continue
		}
		after, err := s.change(i, changed, "kubectl-set")
		if err != nil {
			failed = append(failed, fmt.Errorf("failed to patch %s update to pod template%s %v", what, map[bool]string{false: ":"}[what == "resources"], err))
			continue
		}
		if after == nil {
			continue // as upstream: what is so already is not mentioned
		}
		if err := s.show(after, i, did); err != nil {
			return err
		}
	}
	return failed.orNil()
}

// setImage is kubectl set image. Upstream: kubectl pkg/cmd/set/set_image.go.
func setImage(s *session) error {
	resources, pairs, err := changesOf(s.args, isPair)
	if err != nil {
		return fmt.Errorf(err.Error(), "image")
	}
	var missing error
	if len(pairs) == 0 {
		missing = errors.New("at least one image update is required")
	}
	images := map[string]string{}
	for _, p := range pairs {
		name, image, _ := strings.Cut(p, "=")
		images[name] = image
	}
	if _, all := images["*"]; all && len(images) > 1 {
		missing = errors.New("all containers are already specified by *, but saw more than one container_name=container_image pairs")
	}
	return s.setAll(resources, "image", "image updated", missing, func(_ *info, spec *corev1.PodSpec) (aggregate, error) {
		var failed aggregate
		for _, name := range sortedKeys(images) {
			found := false
			for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
				for n := range list {
					if c := &list[n]; c.Name == name || name == "*" {
						c.Image, found = images[name], true
					}
				}
			}
			if !found {
				failed = append(failed, fmt.Errorf("error: unable to find container named %q", name))
			}
		}
		return failed, nil
	})
}

// setEnv is kubectl set env. Upstream: kubectl pkg/cmd/set/set_env.go.
func setEnv(s *session) error {
	resources, pairs, err := changesOf(s.args, isPair)
	if err != nil {
		return errors.New("all resources must be specified before environment changes: " + strings.Join(s.args, " "))
	}
	pairs = append(slices.Clone(s.flags.all("env")), pairs...)
	if len(resources) == 0 && !s.flags.has("filename") {
		return errors.New("one or more resources must be specified as <resource> <name> or <resource>/<name>")
	}
	var set []corev1.EnvVar
	var remove []string
	for _, p := range pairs {
		if name, value, ok := strings.Cut(p, "="); ok {
			if err := variableName(name); err != nil {
				return err
			}
			set = append(set, corev1.EnvVar{Name: name, Value: value})
		} else {
			remove = append(remove, strings.TrimSuffix(p, "-"))
		}
	}
	for _, e := range set {
		if slices.Contains(remove, e.Name) {
			return errors.New("can not both modify and remove the same environment variable in the same command")
		}
	}
	if s.flags.yes("list") {
		return s.listEnv(resources)
	}
	if source := s.flags.text("from"); source != "" {
		from, err := s.envFrom(source)
		if err != nil {
			return err
		}
		set = append(set, from...)
	}
	for n := range set {
		set[n].Name = s.flags.text("prefix") + set[n].Name
	}
	return s.setAll(resources, "env", "env updated", nil, func(i *info, spec *corev1.PodSpec) (aggregate, error) {
		containers := s.selected(spec)
		for _, c := range containers {
			for _, e := range set {
				at := slices.IndexFunc(c.Env, func(o corev1.EnvVar) bool { return o.Name == e.Name })
				switch {
				case at < 0:
					c.Env = append(c.Env, e)
				case !s.flags.yesOr("overwrite", true):
					return nil, fmt.Errorf("'%s' already has a value (%s), and --overwrite is false", e.Name, c.Env[at].Value)
				default:
					c.Env[at] = e
				}
			}
			c.Env = slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return slices.Contains(remove, e.Name) })
		}
		if len(containers) == 0 {
			s.warn(fmt.Sprintf("%s/%s does not have any containers matching %q", i.kind.Kind, i.name, s.flags.text("containers")))
		}
		return nil, nil
	})
}

// selected are the containers that --containers names, or all, the init containers last.
func (s *session) selected(spec *corev1.PodSpec) (out []*corev1.Container) {
	wanted := s.flags.or("containers", "*")
	for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for n := range list {
			if c := &list[n]; wanted == "*" || wanted == c.Name {
				out = append(out, c)
			}
		}
	}
	return out
}

// envFrom makes variables of the keys of a ConfigMap or a Secret.
func (s *session) envFrom(source string) ([]corev1.EnvVar, error) {
	infos, err := s.fetched([]string{source})
	if err != nil {
		return nil, err
	}
	var out []corev1.EnvVar
	name := func(key string) string {
		name := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(key))
		if name != key {
			s.warn(fmt.Sprintf("key %s transferred to %s", key, name))
		}
		return name
	}
	for _, i := range infos {
		ref := corev1.LocalObjectReference{Name: i.name}
		switch o := i.object.(type) {
		case *corev1.ConfigMap:
			for _, key := range sortedKeys(o.Data) {
				out = append(out, corev1.EnvVar{Name: name(key), ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: ref,
					Key: key}}})
			}
		case *corev1.Secret:
			for _, key := range sortedKeys(o.Data) {
				out = append(out, corev1.EnvVar{Name: name(key), ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: ref,
					Key: key}}})
			}
		default:
			return nil, errors.New("unsupported resource specified in --from")
		}
	}
	return out, nil
}

func (s *session) listEnv(resources []string) error {
	infos, err := s.fetched(resources)
	if err != nil {
		return err
	}
	for _, i := range infos {
		spec := podSpecOf(i.object)
		if spec == nil {
			continue
		}
		for _, c := range s.selected(spec) {
			s.printf("# %s %s, container %s\n", i.kind.Kind, i.name, c.Name)
			for _, e := range c.Env {
				if e.ValueFrom == nil {
					s.printf("%s=%s\n", e.Name, e.Value)
				} else {
					s.printf("# %s from %s\n", e.Name, envSource(e.ValueFrom))
				}
			}
		}
	}
	return nil
}

// envSource is upstream's kubectl pkg/cmd/set/env/env_resolve.go, GetEnvVarRefString.
func envSource(v *corev1.EnvVarSource) string {
	switch {
	case v.ConfigMapKeyRef != nil:
		return fmt.Sprintf("configmap %s, key %s", v.ConfigMapKeyRef.Name, v.ConfigMapKeyRef.Key)
	case v.SecretKeyRef != nil:
		return fmt.Sprintf("secret %s, key %s", v.SecretKeyRef.Name, v.SecretKeyRef.Key)
	case v.FieldRef != nil:
		return "field path " + v.FieldRef.FieldPath
	case v.ResourceFieldRef != nil:
		if v.ResourceFieldRef.ContainerName != "" {
			return v.ResourceFieldRef.ContainerName + "/" + v.ResourceFieldRef.Resource
		}
		return v.ResourceFieldRef.Resource
	}
	return "invalid valueFrom"
}

// setResources is kubectl set resources. Upstream: kubectl pkg/cmd/set/set_resources.go.
func setResources(s *session) error {
	var missing error
	if !s.flags.has("limits") && !s.flags.has("requests") {
		missing = errors.New("you must specify an update to requests or limits (in the form of --requests/--limits)")
	}
	limits, err := resourceList(s.flags.text("limits"))
	if err != nil {
		return err
	}
	requests, err := resourceList(s.flags.text("requests"))
	if err != nil {
		return err
	}
	return s.setAll(s.args, "resources", "resource requirements updated", missing, func(_ *info, spec *corev1.PodSpec) (aggregate, error) {
		containers := s.selected(spec)
		for _, c := range containers {
			c.Resources.Limits = merged(c.Resources.Limits, limits)
			c.Resources.Requests = merged(c.Resources.Requests, requests)
		}
		if len(containers) == 0 {
			return aggregate{fmt.Errorf("error: unable to find container named %s", s.flags.text("containers"))}, nil
		}
		return nil, nil
	})
}

func merged(into, from corev1.ResourceList) corev1.ResourceList {
	if into == nil && len(from) > 0 {
		into = corev1.ResourceList{}
	}
	for name, q := range from { // order: each has its own key
		into[name] = q
	}
	return into
}

// resourceList reads "cpu=200m,memory=512Mi".
// Upstream: kubectl pkg/generate/versioned/run.go, populateResourceListV1.
func resourceList(spec string) (corev1.ResourceList, error) {
	if spec == "" {
		return nil, nil
	}
	out := corev1.ResourceList{}
	for _, part := range strings.Split(spec, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || strings.Contains(value, "=") {
			return nil, fmt.Errorf("Invalid argument syntax %v, expected <resource>=<value>", part)
		}
		q, err := resource.ParseQuantity(value)
		if err != nil {
			return nil, err
		}
		out[corev1.ResourceName(name)] = q
	}
	return out, nil
}
