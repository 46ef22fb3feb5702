package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// listener is a port of the terminal's machine on which a command waits for connections.
type listener struct {
	taker *sim.Proc
	queue []*connection
}

// connection is one HTTP request to a port of the terminal's machine.
type connection struct {
	port         int
	method, path string

	status int
	body   string
	failed string // why there is no answer
	done   bool
	waiter *sim.Proc
}

func (c *connection) end() {
	if c.done = true; c.waiter != nil {
		c.waiter.Wake()
	}
}

// Request sends an HTTP request to a port of the terminal's machine, on which a command may listen, as a browser there does.
// failed says why there is no answer; "" if there is one.
func (t *Terminal) Request(p *sim.Proc, port int, method, path string) (status int, body, failed string) {
	l := t.listening[port]
	if l == nil {
		return 0, "", "connection refused"
	}
	c := &connection{port: port, method: method, path: path, waiter: p}
	l.queue = append(l.queue, c)
	for l.taker.Wake(); !c.done; {
		p.Park()
	}
	return c.status, c.body, c.failed
}

// serve answers requests that come to ports, one after the other, until the command is interrupted or answer says that it cannot go on.
func (s *session) serve(ports []int, answer func(c *connection) error) error {
	t, stopped := s.terminal, false
	l := &listener{taker: s.p}
	defer s.goesOn(func() {
		stopped = true
		s.p.Wake()
	})()
	for _, port := range ports {
		if t.listening == nil {
			t.listening = map[int]*listener{}
		}
		t.listening[port] = l
	}
	defer func() {
		for _, port := range ports {
			if t.listening[port] == l { // the next command may listen there already
				delete(t.listening, port)
			}
		}
		for _, c := range l.queue {
			c.failed = "connection reset by peer"
			c.end()
		}
	}()
	for ; !stopped; s.p.Park() {
		for len(l.queue) > 0 && !stopped {
			c := l.queue[0]
			l.queue = l.queue[1:]
			err := answer(c)
			c.end()
			if s.hear(); err != nil {
				return err
			}
		}
	}
	return nil
}

// forwarded is a port of the terminal's machine, and the one of the Pod that it leads to.
type forwarded struct{ local, remote int }

// runPortForward is kubectl port-forward. What comes to the ports is HTTP: see Terminal.Request.
//
// Simplified: a port that nobody chose is the next free one, not a random one; --address chooses only what is printed.
// Upstream: kubectl pkg/cmd/portforward/portforward.go, PortForwardOptions.Complete and RunPortForwardContext; client-go
// tools/portforward/portforward.go, parsePorts, forward and handleConnection.
func runPortForward(s *session) error {
	if len(s.args) < 2 {
		return errors.New("TYPE/NAME and list of ports are required for port-forward\nSee 'kubectl port-forward -h' for help and examples")
	}
	if s.terminal == nil {
		return errors.New("there is no terminal here: nobody could use the ports")
	}
	name := s.args[0]
	if !strings.Contains(name, "/") {
		name = "pod/" + name
	}
	infos, err := s.fetched([]string{name})
	if err != nil {
		return err
	}
	pods, err := s.podsOf([]string{name}, "")
	if err != nil {
		return err
	}
	pod := pods[0]
	var ports []forwarded
	for _, text := range s.args[1:] {
		port, err := forwardedPort(text, pod, infos[0].object)
		if err != nil {
			return err
		}
		ports = append(ports, port)
	}
	if pod.Status.Phase != corev1.PodRunning {
		return fmt.Errorf("unable to forward port because pod is not running. Current status=%v", pod.Status.Phase)
	}
	addresses, err := s.addresses()
	if err != nil {
		return err
	}
	i := &info{kind: podKind, namespace: pod.Namespace, name: pod.Name}
	r := i.request(client.Create)
	r.Subresource, r.Streams = "portforward", true
	got, err := client.As[*client.Text](s.do(r))
	if err != nil {
		return fmt.Errorf("error upgrading connection: %w", err)
	}
	var open []int
	for n := range ports {
		port := &ports[n]
		if port.local == 0 {
			for port.local = firstRandomPort; slices.Contains(open, port.local); port.local++ {
			}
		}
		if why := unusable(port.local, open); why != "" {
			var failures []string
			for _, a := range addresses {
				protocol := "tcp4"
				if strings.HasPrefix(a, "[") {
					protocol = "tcp6"
				}
				failures = append(failures, fmt.Sprintf("unable to create listener: Error listen %s %s:%d: bind: %s", protocol, a, port.local, why))
			}
			s.complain(fmt.Sprintf("Unable to listen on port %d: Listeners failed to create with the following errors: %v", port.local, failures))
			continue
		}
		for _, a := range addresses {
			s.printf("Forwarding from %s:%d -> %d\n", a, port.local, port.remote)
		}
		open = append(open, port.local)
	}
	if len(open) == 0 {
		return fmt.Errorf("unable to listen on any of the requested ports: %v", ports)
	}
	return s.serve(open, func(c *connection) error {
		s.printf("Handling connection for %d\n", c.port)
		port := ports[slices.IndexFunc(ports, func(f forwarded) bool { return f.local == c.port })]
		var err error
		if c.status, c.body, err = got.Forward(s.p, port.remote, c.method, c.path); err == nil {
			return nil
		}
		c.failed = "Empty reply from server"
		s.complain(fmt.Sprintf("an error occurred forwarding %d -> %d: %v", port.local, port.remote, err))
		return errors.New("lost connection to pod")
	})
}

// firstRandomPort is the first that is used where none was chosen. Linux: net.ipv4.ip_local_port_range.
const firstRandomPort = 32768

// unusable says why nobody can listen on a port; "" if one can.
func unusable(port int, open []int) string {
	const firstUnprivileged = 1024 // Linux: net.ipv4.ip_unprivileged_port_start
	switch {
	case port < firstUnprivileged:
		return "permission denied"
	case slices.Contains(open, port):
		return "address already in use"
	}
	return ""
}

// addresses are those that --address names, as they are printed.
// Upstream: client-go tools/portforward/portforward.go, parseAddresses.
func (s *session) addresses() (out []string, err error) {
	for _, a := range strings.Split(s.flags.or("address", "localhost"), ",") {
		switch {
		case a == "localhost":
			out = append(out, "127.0.0.1", "[::1]")
		case strings.Contains(a, ":"):
			out = append(out, "["+a+"]")
		case isIPv4(a):
			out = append(out, a)
		default:
			return nil, fmt.Errorf("%s is not a valid IP", a)
		}
	}
	return out, nil
}

func isIPv4(text string) bool {
	parts := strings.Split(text, ".")
	for _, part := range parts {
		if n, err := strconv.Atoi(part); err != nil || n < 0 || n > 255 {
			return false
		}
	}
	return len(parts) == 4
}

// forwardedPort reads "8080:80", "80", ":80" or "8080:http", of a Pod or of a Service that leads to it.
// Upstream: portforward.go, translateServicePortToTargetPort, convertPodNamedPortToNumber and checkUDPPorts; client-go
// tools/portforward/portforward.go, parsePorts.
func forwardedPort(text string, pod *corev1.Pod, object any) (out forwarded, err error) {
	local, remote, both := strings.Cut(text, ":")
	if !both {
		remote = local
	} else if strings.Contains(remote, ":") {
		remote, both = local, false // as upstream: splitPort
	}
	if remote == "" {
		return out, errors.New("remote port cannot be empty")
	}
	number, failure := strconv.Atoi(remote)
	named := failure != nil
	if service, ok := object.(*corev1.Service); ok {
		port := servicePort(service, remote, number, named)
		switch {
		case port == nil && named:
			return out, fmt.Errorf("Service '%s' does not have a named port '%s'", service.Name, remote)
		case port == nil:
			return out, fmt.Errorf("Service %s does not have a service port %d", service.Name, number)
		case port.Protocol == corev1.ProtocolUDP:
			return out, fmt.Errorf("UDP protocol is not supported for %s", remote)
		}
		if named && !both {
			local = strconv.Itoa(int(port.Port))
		}
		target := port.TargetPort
		switch {
		case service.Spec.ClusterIP == corev1.ClusterIPNone && target.StrVal == "", target.StrVal == "" && target.IntVal == 0:
			number = int(port.Port)
		case target.StrVal != "":
			found := containerPort(pod, target.StrVal)
			if found == nil {
				return out, fmt.Errorf("Pod '%s' does not have a named port '%s'", pod.Name, target.StrVal)
			}
			number = int(found.ContainerPort)
		default:
			number = int(target.IntVal)
		}
	} else if named {
		found := containerPort(pod, remote)
		switch {
		case found == nil:
			return out, fmt.Errorf("Pod '%s' does not have a named port '%s'", pod.Name, remote)
		case found.Protocol == corev1.ProtocolUDP:
			return out, fmt.Errorf("UDP protocol is not supported for %s", remote)
		}
		if number = int(found.ContainerPort); !both {
			local = strconv.Itoa(number)
		}
	}
	if local != "" {
		n, err := strconv.ParseUint(local, 10, 16)
		if err != nil {
			return out, fmt.Errorf("error parsing local port '%s': %s", local, err)
		}
		out.local = int(n)
	}
	switch out.remote = number; {
	case number <= 0:
		return out, errors.New("remote port must be > 0")
	case number > 65535:
		return out, fmt.Errorf("error parsing remote port '%d': strconv.ParseUint: parsing \"%d\": value out of range", number, number)
	}
	return out, nil
}

// servicePort finds a Service's port by its name or number.
func servicePort(service *corev1.Service, name string, number int, named bool) *corev1.ServicePort {
	for i := range service.Spec.Ports {
		if p := &service.Spec.Ports[i]; named && p.Name == name || !named && int(p.Port) == number {
			return p
		}
	}
	return nil
}

// containerPort finds a port of a Pod's containers by its name.
func containerPort(pod *corev1.Pod, name string) *corev1.ContainerPort {
	for i := range pod.Spec.Containers {
		for k := range pod.Spec.Containers[i].Ports {
			if p := &pod.Spec.Containers[i].Ports[k]; p.Name == name {
				return p
			}
		}
	}
	return nil
}
