package apiserver

import (
	"fmt"
	"io"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/admission"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Kubelets is how the server reaches the kubelets, for what only they can tell: logs, and commands that run in containers.
// Whoever wires the cluster registers it. Upstream: pkg/kubelet/client/kubelet_client.go, ConnectionInfoGetter.
type Kubelets interface {
	// ContainerLogs returns the lines that opts ask for. opts.Container is set.
	ContainerLogs(p *sim.Proc, pod *corev1.Pod, opts *corev1.PodLogOptions) (string, error)
	// RunInContainer runs a command, which reads input, and returns what it printed, and how it ended.
	RunInContainer(p *sim.Proc, pod *corev1.Pod, container string, command []string, input string) (*client.Text, error)
	// Exec starts a command, to which somebody types.
	Exec(p *sim.Proc, pod *corev1.Pod, container string, o *client.ExecOptions) (Session, error)
	// Attach connects to a container's program; nil if that reads nothing.
	Attach(p *sim.Proc, pod *corev1.Pod, container string, o *client.ExecOptions) (Session, error)
	// FollowLogs returns the lines that opts ask for, and then what the container goes on to print.
	FollowLogs(p *sim.Proc, pod *corev1.Pod, opts *corev1.PodLogOptions) (Follower, error)
	// PortForward sends an HTTP request to a port of a Pod from inside it.
	PortForward(p *sim.Proc, pod *corev1.Pod, port int, method, path string) (status int, body string, err error)
}

// Follower reads what a container prints.
type Follower interface {
	// Next waits for more. ok is false when there will be none: the container has ended, or Stop was called.
	Next(p *sim.Proc) (text string, ok bool)
	Stop()
}

// Session is a command that runs in a container and reads what is typed.
type Session interface {
	Follower
	Type(line string)
	// Stderr tells whether what Next returned last was printed to standard error.
	Stderr() bool
	// ExitCode is how the command ended.
	ExitCode() int32
}

// ConnectKubelets registers the way to the kubelets.
func (s *Server) ConnectKubelets(k Kubelets) { s.kubelets = k }

// logHandler is pods/log. Upstream: pkg/registry/core/pod/rest/log.go, LogREST; pkg/registry/core/pod/strategy.go, LogLocation.
func (s *Server) logHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	opts := corev1.PodLogOptions{}
	if c.Request.Log != nil {
		opts = *c.Request.Log
	}
	if err := invalidLogOptions(c.Request.Name, &opts); err != nil {
		return nil, err
	}
	obj, err := e.Get(p, c.Request.Namespace, c.Request.Name)
	if err != nil {
		return nil, err
	}
	pod := obj.(*corev1.Pod)
	if opts.Container, err = validateContainer(opts.Container, pod); err != nil {
		return nil, err
	}
	if pod.Spec.NodeName == "" {
		return &client.Text{}, nil // there is nobody to ask
	}
	if s.kubelets == nil {
		return nil, noKubelet(pod, "log")
	}
	if opts.Follow && c.Request.Streams {
		return s.follow(p, c, pod, &opts)
	}
	p.Sleep(s.latency())
	text, err := s.kubelets.ContainerLogs(p, pod, &opts)
	p.Sleep(s.latency())
	if err != nil {
		return nil, asRefusal(err)
	}
	return &client.Text{Body: text}, nil
}

// follow answers with what a container prints from now on.
func (s *Server) follow(p *sim.Proc, c *call, pod *corev1.Pod, opts *corev1.PodLogOptions) (client.Result, error) {
	p.Sleep(s.latency())
	from, err := s.kubelets.FollowLogs(p, pod, opts)
	p.Sleep(s.latency())
	if err != nil {
		return nil, asRefusal(err)
	}
	return &client.Text{Output: s.printing(c, "follow "+pod.Name, from, func() error { return io.EOF })}, nil
}

// printing sends the client what there is to read, until it ends.
func (s *Server) printing(c *call, name string, from Follower, ended func() error) *transport.Output {
	to := s.Print(c.Call, from.Stop)
	typed, _ := from.(Session)
	s.component.Go(name, func(q *sim.Proc) {
		for {
			text, ok := from.Next(q)
			if !ok {
				to.Close(ended())
				return
			}
			to.Send(text, typed != nil && typed.Stderr())
		}
	})
	return to
}

// session answers with a command that runs in a container, and reads what the client types.
func (s *Server) session(p *sim.Proc, c *call, pod *corev1.Pod, container string) (client.Result, error) {
	p.Sleep(s.latency())
	of, err := s.kubelets.Exec(p, pod, container, c.Request.Exec)
	p.Sleep(s.latency())
	if err != nil {
		return nil, asRefusal(err)
	}
	return s.typing(c, "exec "+pod.Name, of), nil
}

func (s *Server) typing(c *call, name string, of Session) *client.Text {
	to := s.printing(c, name, of, func() error {
		if code := of.ExitCode(); code != 0 {
			return client.CodeExitError(code)
		}
		return io.EOF
	})
	return &client.Text{Output: to, Type: func(line string) { to.Type(func() { of.Type(line) }) }}
}

// opened tells whether a request opens a connection. A host that has connections of its own sends it before it makes one of other
// requests; who asks for the connection itself says so with Request.Streams.
func opened(r *client.Request) bool {
	pods, services := r.Resource.Resource == "pods" && r.Resource.Group == "", r.Resource.Resource == "services" && r.Resource.Group == ""
	if nodes := r.Resource.Resource == "nodes" && r.Resource.Group == ""; nodes {
		return r.Name != "" && r.Subresource == "proxy"
	}
	return r.Name != "" && r.Namespace != "" && (pods && r.Verb == client.Create && (r.Subresource == "attach" || r.Subresource == "portforward") ||
		(pods || services) && r.Subresource == "proxy")
}

// connectHandler asks admission whether a connection may be made.
func (s *Server) connectHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	options := &admission.ConnectOptions{}
	switch r := c.Request; r.Subresource {
	case "attach":
		options = streams("PodAttachOptions", r.Exec)
		options.Command = nil
	case "portforward":
		options.Kind = "PodPortForwardOptions"
	default:
		options.Kind = e.Kind.Kind + "ProxyOptions"
	}
	if err := s.connecting(p, c, e, options); err != nil {
		return nil, err
	}
	if !c.Request.Streams {
		return &client.Text{}, nil
	}
	obj, err := e.Get(p, c.Request.Namespace, c.Request.Name)
	if err != nil {
		return nil, err
	}
	pod, ok := obj.(*corev1.Pod)
	switch {
	case !ok:
		return nil, apierrors.NewMethodNotSupported(e.Kind.GroupResource(), c.Request.Verb)
	case pod.Spec.NodeName == "":
		return nil, apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", pod.Name))
	case s.kubelets == nil:
		return nil, noKubelet(pod, c.Request.Subresource)
	case c.Request.Subresource == "portforward":
		return &client.Text{Forward: s.forward(pod)}, nil
	}
	container, err := validateContainer(options.Container, pod)
	if err != nil {
		return nil, err
	}
	if options.Stdin {
		p.Sleep(s.latency())
		of, err := s.kubelets.Attach(p, pod, container, c.Request.Exec)
		p.Sleep(s.latency())
		if err != nil {
			return nil, asRefusal(err)
		}
		if of != nil {
			return s.typing(c, "attach "+pod.Name, of), nil
		}
	}
	none := int64(0)
	return s.follow(p, c, pod, &corev1.PodLogOptions{Container: container, TailLines: &none})
}

// forward is the way to a Pod's ports, by way of the server and the kubelet.
//
// Simplified: the containers speak HTTP, so only requests of HTTP get there.
// Upstream: pkg/registry/core/pod/rest/subresources.go, PortForwardREST.
func (s *Server) forward(pod *corev1.Pod) client.Forward {
	return func(p *sim.Proc, port int, method, path string) (int, string, error) {
		way := s.latency() + s.latency()
		if p.Sleep(way); !s.component.Running() {
			return 0, "", client.ErrConnectionLost
		}
		status, body, err := s.kubelets.PortForward(p, pod, port, method, path)
		if p.Sleep(way); !s.component.Running() {
			return 0, "", client.ErrConnectionLost
		}
		return status, body, err
	}
}

// AsksOfConnections tells whether there is a webhook or a policy that could have something against a connection.
func (s *Server) AsksOfConnections() bool { return s.admission.Configured(s.store) }

func streams(kind string, o *client.ExecOptions) *admission.ConnectOptions {
	options := &admission.ConnectOptions{}
	if o != nil {
		options = &admission.ConnectOptions{Stdin: o.Stdin, Stdout: o.Stdout, Stderr: o.Stderr, TTY: o.TTY, Container: o.Container, Command: o.Command}
	}
	options.Kind = kind
	return options
}

// connecting is admission for a connection: before anybody looks at what it leads to.
// Simplified: the ports of port-forward and the path of proxy are not among the options.
// Upstream: apiserver/pkg/endpoints/handlers/rest.go, ConnectResource.
func (s *Server) connecting(p *sim.Proc, c *call, e *registry.Store, options *admission.ConnectOptions) error {
	options.APIVersion = "v1"
	a := s.attributes(c, e, admission.Connect)
	a.Kind = &api.Kind{GroupVersionKind: api.GroupVersionKind{Version: "v1", Kind: options.Kind}, Resource: e.Kind.Resource,
		Singular: e.Kind.Singular, Namespaced: e.Kind.Namespaced}
	a.Object, a.DryRun = options, false
	c.report = admission.Report{}
	before := c.phase
	c.phase = trace.PhaseMutating
	if err := s.admission.Admit(p, a); err != nil {
		return err
	}
	c.phase = trace.PhaseValidating
	if err := s.admission.Validate(p, a); err != nil {
		return err
	}
	c.phase = before
	return nil
}

// execHandler is pods/exec. Upstream: pkg/registry/core/pod/rest/subresources.go, ExecREST.
func (s *Server) execHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	if err := s.connecting(p, c, e, streams("PodExecOptions", c.Request.Exec)); err != nil {
		return nil, err
	}
	if c.Request.Exec == nil || len(c.Request.Exec.Command) == 0 {
		return nil, apierrors.NewBadRequest("you must specify at least 1 command for the container")
	}
	obj, err := e.Get(p, c.Request.Namespace, c.Request.Name)
	if err != nil {
		return nil, err
	}
	pod := obj.(*corev1.Pod)
	container, err := validateContainer(c.Request.Exec.Container, pod)
	if err != nil {
		return nil, err
	}
	if pod.Spec.NodeName == "" {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", pod.Name))
	}
	if s.kubelets == nil {
		return nil, noKubelet(pod, "exec")
	}
	if c.Request.Streams {
		return s.session(p, c, pod, container)
	}
	p.Sleep(s.latency())
	text, err := s.kubelets.RunInContainer(p, pod, container, c.Request.Exec.Command, c.Request.Exec.Input)
	p.Sleep(s.latency())
	if err != nil {
		return nil, asRefusal(err)
	}
	return text, nil
}

// validateContainer finds the container that a request is about. Upstream: pkg/registry/core/pod/strategy.go.
func validateContainer(name string, pod *corev1.Pod) (string, error) {
	names := func(list []corev1.Container) []string {
		var out []string
		for i := range list {
			out = append(out, list[i].Name)
		}
		return out
	}
	containers, inits := names(pod.Spec.Containers), names(pod.Spec.InitContainers)
	if name != "" {
		all := append(append([]string(nil), containers...), inits...)
		for i := range pod.Spec.EphemeralContainers {
			all = append(all, pod.Spec.EphemeralContainers[i].Name)
		}
		for _, known := range all {
			if known == name {
				return name, nil
			}
		}
		return "", apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, pod.Name))
	}
	if len(containers) == 1 {
		return containers[0], nil
	}
	text := fmt.Sprintf("a container name must be specified for pod %s, choose one of: [%s]", pod.Name, strings.Join(containers, " "))
	if len(inits) > 0 {
		text += fmt.Sprintf(" or one of the init containers: [%s]", strings.Join(inits, " "))
	}
	return "", apierrors.NewBadRequest(text)
}

// invalidLogOptions is upstream's core/validation/validation.go, ValidatePodLogOptions.
func invalidLogOptions(pod string, opts *corev1.PodLogOptions) error {
	var errs field.ErrorList
	if opts.TailLines != nil && *opts.TailLines < 0 {
		errs = append(errs, field.Invalid(field.NewPath("tailLines"), *opts.TailLines, "must be greater than or equal to 0"))
	}
	if opts.LimitBytes != nil && *opts.LimitBytes < 1 {
		errs = append(errs, field.Invalid(field.NewPath("limitBytes"), *opts.LimitBytes, "must be greater than 0"))
	}
	switch {
	case opts.SinceSeconds != nil && opts.SinceTime != nil:
		errs = append(errs, field.Forbidden(field.NewPath(""), "at most one of `sinceTime` or `sinceSeconds` may be specified"))
	case opts.SinceSeconds != nil && *opts.SinceSeconds < 1:
		errs = append(errs, field.Invalid(field.NewPath("sinceSeconds"), *opts.SinceSeconds, "must be greater than 0"))
	}
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(logOptionsKind, pod, errs)
}

var logOptionsKind = api.GroupKind{Kind: "PodLogOptions"}

// noKubelet is the answer while nobody has registered a way to the nodes.
func noKubelet(pod *corev1.Pod, what string) error {
	return apierrors.NewInternalError(fmt.Errorf("no way to the kubelet of node %q for %s of pod %q", pod.Spec.NodeName, what, pod.Name))
}

// asRefusal makes an answer of a kubelet's error: what a kubelet refuses is the client's to mend.
func asRefusal(err error) error {
	if _, ok := err.(apierrors.APIStatus); ok {
		return err
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError,
		Message: err.Error(), Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: err.Error()}}}}}
}
