package kubectl

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

const debugFlags = "image= target= container,c= quiet,q? stdin,i? tty,t? attach? profile=@general copy-to= replace? same-node? set-image* share-processes?@true " +
	"keep-labels? keep-annotations? keep-liveness? keep-readiness? keep-startup? keep-init-containers?@true arguments-only? env* image-pull-policy= custom=! filename,f*!"

// runDebug is kubectl debug: an ephemeral container in a running Pod, a copy of
// a Pod that differs, or a Pod that sees a whole node.
//
// Simplified: there is one profile, general, which is the default since 1.36, and
// names are numbered instead of random.
// Upstream: kubectl pkg/cmd/debug/debug.go, DebugOptions.Validate and Run.
func runDebug(s *session) error {
	copies, image := s.flags.has("copy-to"), s.flags.text("image")
	switch {
	case copies && image == "" && !s.flags.has("set-image") && len(s.rest) == 0:
		return errors.New("you must specify --image, --set-image or command arguments.")
	case copies && len(s.rest) > 0 && !s.flags.has("container") && image == "":
		return errors.New("you must specify an existing container or a new image when specifying args.")
	case !copies && s.flags.yes("replace"):
		return errors.New("--replace may only be used with --copy-to.")
	case !copies && s.flags.yes("same-node"):
		return errors.New("--same-node may only be used with --copy-to.")
	case !copies && s.flags.has("set-image"):
		return errors.New("--set-image may only be used with --copy-to.")
	case !copies && image == "":
		return errors.New("you must specify --image when not using --copy-to.")
	case len(s.args) == 0:
		return errors.New("NAME or filename is required for debug")
	case copies && s.flags.has("target"):
		return errors.New("--target is incompatible with --copy-to. Use --share-processes instead.")
	case s.flags.yes("tty") && !s.flags.yes("stdin"):
		return errors.New("-i/--stdin is required for containers with -t/--tty=true")
	case !slices.Contains([]string{"legacy", "general", "baseline", "restricted", "netadmin", "sysadmin"}, s.flags.or("profile", "general")):
		return fmt.Errorf("unknown profile: %s", s.flags.text("profile"))
	case s.flags.or("profile", "general") != "general":
		return fmt.Errorf("--profile=%s is absent here: there is only general", s.flags.text("profile"))
	}
	if target := s.flags.text("target"); target != "" {
		s.say("Targeting container %q. If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n",
			target)
	}
	for _, name := range s.args {
		if !strings.Contains(name, "/") {
			name = "pod/" + name
		}
		infos, err := s.fetched([]string{name})
		if err != nil {
			return err
		}
		var pod *corev1.Pod
		var container string
		switch o := infos[0].object.(type) {
		case *corev1.Node:
			pod, container, err = s.debugNode(o)
		case *corev1.Pod:
			if copies {
				pod, container, err = s.debugByCopy(o)
			} else {
				pod, container, err = s.debugByEphemeralContainer(o)
			}
		default:
			err = fmt.Errorf("%q not supported by debug", infos[0].kind.GroupVersionKind)
		}
		if err != nil {
			return err
		}
		if s.flags.yesOr("attach", s.flags.yes("stdin")) && container != "" {
			if err := s.attachWhenRunning(pod, container); err != nil {
				return err
			}
		}
	}
	return nil
}

// say prints what --quiet leaves out.
func (s *session) say(format string, args ...any) {
	if !s.flags.yes("quiet") {
		s.printf(format, args...)
	}
}

// attachWhenRunning waits until a container runs, and attaches to it; of one that has ended by then it shows the log.
// Upstream: debug.go, DebugOptions.handleAttachPod and waitForContainer; pkg/cmd/run/run.go, handleAttachPod.
func (s *session) attachWhenRunning(pod *corev1.Pod, container string) error {
	ended := false
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name}
	err := s.follow(i, s.p.Now()+time.Minute, func(obj api.Object) (bool, error) {
		now, ok := obj.(*corev1.Pod)
		if !ok {
			return false, fmt.Errorf("pods %q not found", pod.Name)
		}
		for _, list := range [][]corev1.ContainerStatus{now.Status.InitContainerStatuses, now.Status.ContainerStatuses, now.Status.EphemeralContainerStatuses} {
			for k := range list {
				if state := &list[k].State; list[k].Name == container && (state.Running != nil || state.Terminated != nil) {
					pod, ended = now, state.Terminated != nil
					return true, nil
				}
			}
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	if ended {
		r := i.request(client.Get)
		r.Subresource, r.Log = "log", &corev1.PodLogOptions{Container: container}
		got, err := client.As[*client.Text](s.do(r))
		if err == nil {
			s.printf("%s", got.Body)
		}
		return err
	}
	return s.attach(pod, container)
}

// debugByEphemeralContainer is upstream's debug.go, the function of that name and generateDebugContainer.
func (s *session) debugByEphemeralContainer(live *corev1.Pod) (*corev1.Pod, string, error) {
	pod := live.DeepCopy()
	var c corev1.Container
	s.describeContainer(&c, s.debugContainerName(pod))
	c.TerminationMessagePolicy = corev1.TerminationMessageReadFile
	allowProcessTracing(&c)
	pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, corev1.EphemeralContainer{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon(c), TargetContainerName: s.flags.text("target")})
	before, err := api.Encode(live)
	if err != nil {
		return nil, "", err
	}
	after, err := api.Encode(pod)
	if err != nil {
		return nil, "", err
	}
	patch, err := strategicpatch.CreateTwoWayMergePatch(before, after, reflect.TypeOf(pod))
	if err != nil {
		return nil, "", fmt.Errorf("error creating patch to add debug container: %v", err)
	}
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name}
	r := i.request(client.Patch)
	r.Subresource, r.PatchType, r.Patch = "ephemeralcontainers", types.StrategicMergePatchType, patch
	result, err := client.As[*corev1.Pod](s.do(r))
	return result, c.Name, err
}

// debugByCopy is upstream's debug.go, the function of that name and generatePodCopyWithDebugContainer.
func (s *session) debugByCopy(live *corev1.Pod) (*corev1.Pod, string, error) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: s.flags.text("copy-to"), Namespace: live.Namespace}, Spec: *live.Spec.DeepCopy()}
	spec := &pod.Spec
	spec.EphemeralContainers = nil
	if !s.flags.yes("same-node") {
		spec.NodeName = ""
	}
	for _, pair := range s.flags.all("set-image") {
		for _, one := range strings.Split(pair, ",") {
			name, image, _ := strings.Cut(one, "=")
			for i := range spec.Containers {
				if name == "*" || name == spec.Containers[i].Name {
					spec.Containers[i].Image = image
				}
			}
		}
	}
	name := s.flags.text("container")
	at := slices.IndexFunc(spec.Containers, func(c corev1.Container) bool { return c.Name == name })
	if at < 0 {
		if s.flags.text("image") == "" {
			if !s.flags.has("set-image") {
				return nil, "", errors.New("you must specify image when creating new container")
			}
			return s.createCopy(live, pod, "")
		}
		name = s.debugContainerName(pod)
		spec.Containers = append(spec.Containers, corev1.Container{TerminationMessagePolicy: corev1.TerminationMessageReadFile})
		at = len(spec.Containers) - 1
	}
	s.describeContainer(&spec.Containers[at], name)
	// The profile general, for a copy: no labels, no annotations, no probes, one view of all processes.
	// Upstream: profiles.go, generalProfile.Apply.
	if s.flags.yes("keep-labels") {
		pod.Labels = live.Labels
	}
	if s.flags.yes("keep-annotations") {
		pod.Annotations = live.Annotations
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		if !s.flags.yes("keep-liveness") {
			c.LivenessProbe = nil
		}
		if !s.flags.yes("keep-readiness") {
			c.ReadinessProbe = nil
		}
		if !s.flags.yes("keep-startup") {
			c.StartupProbe = nil
		}
	}
	if !s.flags.yesOr("keep-init-containers", true) {
		spec.InitContainers = nil
	}
	allowProcessTracing(&spec.Containers[at])
	shares := s.flags.yesOr("share-processes", true)
	spec.ShareProcessNamespace = &shares
	return s.createCopy(live, pod, name)
}

func (s *session) createCopy(live, pod *corev1.Pod, container string) (*corev1.Pod, string, error) {
	made, err := s.createPod(pod)
	if err == nil && s.flags.yes("replace") {
		now := int64(0)
		_, err = s.delete(&info{kind: podKind, namespace: live.Namespace, name: live.Name}, metav1.DeleteOptions{GracePeriodSeconds: &now})
	}
	return made, container, err
}

func (s *session) createPod(pod *corev1.Pod) (*corev1.Pod, error) {
	api.SetKind(pod)
	i := &info{kind: podKind, namespace: pod.Namespace}
	r := i.request(client.Create)
	r.Object = pod
	return client.As[*corev1.Pod](s.do(r))
}

// debugNode makes a Pod that is bound to its node from the beginning, in the
// node's own namespaces, with the node's disk at /host.
// Upstream: debug.go, visitNode and generateNodeDebugPod; profiles.go, generalProfile.Apply.
func (s *session) debugNode(node *corev1.Node) (*corev1.Pod, string, error) {
	c := corev1.Container{TerminationMessagePolicy: corev1.TerminationMessageReadFile, VolumeMounts: []corev1.VolumeMount{{Name: "host-root", MountPath: "/host"}}}
	s.describeContainer(&c, s.flags.or("container", "debugger"))
	pods, err := s.items(podKind, s.namespace, "app.kubernetes.io/managed-by=kubectl-debug", "")
	if err != nil {
		return nil, "", err
	}
	name := ""
	for n := 1; name == "" || slices.ContainsFunc(pods, func(o api.Object) bool { return o.GetName() == name }); n++ {
		name = fmt.Sprintf("node-debugger-%s-%d", node.Name, n)
	}
	s.say("Creating debugging pod %s with container %s on node %s.\n", name, c.Name, node.Name)
	made, err := s.createPod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.namespace, Labels: map[string]string{"app.kubernetes.io/managed-by": "kubectl-debug"}},
		Spec: corev1.PodSpec{
			Containers:    []corev1.Container{c},
			NodeName:      node.Name,
			RestartPolicy: corev1.RestartPolicyNever,
			Tolerations:   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Volumes:       []corev1.Volume{{Name: "host-root", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}},
			HostNetwork:   true, HostPID: true, HostIPC: true,
		},
	})
	return made, c.Name, err
}

// describeContainer writes into a container what the flags say of it.
func (s *session) describeContainer(c *corev1.Container, name string) {
	c.Name = name
	if image := s.flags.text("image"); image != "" {
		c.Image = image
	}
	if policy := s.flags.text("image-pull-policy"); policy != "" {
		c.ImagePullPolicy = corev1.PullPolicy(policy)
	}
	switch {
	case len(s.rest) == 0:
	case s.flags.yes("arguments-only"):
		c.Args = s.rest
	default:
		c.Command, c.Args = s.rest, nil
	}
	if s.flags.has("env") {
		c.Env = nil
	}
	for _, e := range s.flags.all("env") {
		key, value, _ := strings.Cut(e, "=")
		c.Env = append(c.Env, corev1.EnvVar{Name: key, Value: value})
	}
	c.Stdin, c.TTY = s.flags.yes("stdin"), s.flags.yes("tty")
}

// debugContainerName is upstream's debug.go, computeDebugContainerName; the
// number is the first that no container has.
func (s *session) debugContainerName(pod *corev1.Pod) string {
	if s.flags.has("container") {
		return s.flags.text("container")
	}
	taken := " " + strings.NewReplacer(",", " ", "(", " ", ")", " ").Replace(containerNames(pod)) + " "
	name := ""
	for n := 1; name == "" || strings.Contains(taken, " "+name+" "); n++ {
		name = fmt.Sprintf("debugger-%d", n)
	}
	s.say("Defaulting debug container name to %s.\n", name)
	return name
}

// allowProcessTracing is upstream's profiles.go, the function of that name.
func allowProcessTracing(c *corev1.Container) {
	if c.SecurityContext == nil {
		c.SecurityContext = &corev1.SecurityContext{}
	}
	if c.SecurityContext.Capabilities == nil {
		c.SecurityContext.Capabilities = &corev1.Capabilities{}
	}
	c.SecurityContext.Capabilities.Add = append(c.SecurityContext.Capabilities.Add, "SYS_PTRACE")
}
