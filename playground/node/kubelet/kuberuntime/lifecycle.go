package kuberuntime

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
)

// hookTimeout bounds an httpGet hook without another limit.
const hookTimeout = 2 * time.Minute

// runHook runs a container's hook and waits for it, no longer than limit (0: it
// takes as long as it takes). It tells whether it succeeded, and what it said if it didn't.
// Upstream: pkg/kubelet/lifecycle/handlers.go handlerRunner.Run.
func (m *Manager) runHook(p *sim.Proc, pod *corev1.Pod, c *corev1.Container, sandboxID, id string, hook *corev1.LifecycleHandler,
	limit time.Duration) (message string, ok bool) {
	switch {
	case hook.Exec != nil:
		result, err := m.runtime.ExecSync(p, id, hook.Exec.Command, limit)
		output := result.Stdout + result.Stderr
		if err == nil && result.ExitCode == 0 && !result.TimedOut {
			return output, true
		}
		if err == nil {
			err = fmt.Errorf("command '%s' exited with %d: %s", strings.Join(hook.Exec.Command, " "), result.ExitCode, result.Stderr)
		}
		return fmt.Sprintf("Exec lifecycle hook (%v) for Container %q in Pod %q failed - error: %v, message: %q",
			hook.Exec.Command, c.Name, container.FormatPod(pod), err, output), false
	case hook.HTTPGet != nil:
		port, err := ResolvePort(hook.HTTPGet.Port, c)
		if err == nil {
			timeout := limit
			if timeout == 0 {
				timeout = hookTimeout
			}
			url := HTTPURL(hook.HTTPGet, "", port)
			if response := m.runtime.Ask(p, sandboxID, port, cri.Request{URL: url}, timeout); response.Failure == "" {
				return "", true
			} else {
				err = fmt.Errorf("Get %q: dial tcp %s: connect: %s", url, response.Address, response.Failure)
			}
		}
		return fmt.Sprintf("HTTP lifecycle hook (%s) for Container %q in Pod %q failed - error: %v", hook.HTTPGet.Path, c.Name, container.FormatPod(pod), err),
			false
	case hook.Sleep != nil:
		d := time.Duration(hook.Sleep.Seconds) * time.Second
		if limit > 0 {
			d = min(d, limit)
		}
		p.Sleep(d)
		return "", true
	}
	return "invalid handler: " + fmt.Sprint(hook), false
}

// ResolvePort finds the number of a port that may be named.
// Upstream: pkg/probe/util.go ResolveContainerPort.
func ResolvePort(port intstr.IntOrString, c *corev1.Container) (int32, error) {
	number := port.IntVal
	if port.Type == intstr.String {
		number = 0
		for _, one := range c.Ports {
			if one.Name == port.StrVal {
				number = one.ContainerPort
			}
		}
		if number == 0 {
			n, err := strconv.ParseInt(port.StrVal, 10, 32)
			if err != nil {
				return 0, fmt.Errorf("couldn't find port: %q in container: %q", port.StrVal, c.Name)
			}
			number = int32(n)
		}
	}
	if number < 1 || number > 65535 {
		return 0, fmt.Errorf("invalid port number: %v", number)
	}
	return number, nil
}

// HTTPURL is what an httpGet asks for. Upstream: pkg/probe/http/request.go formatURL.
func HTTPURL(get *corev1.HTTPGetAction, ip string, port int32) string {
	scheme, host, path := strings.ToLower(string(get.Scheme)), get.Host, get.Path
	if scheme == "" {
		scheme = "http"
	}
	if host == "" {
		host = ip
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return scheme + "://" + host + ":" + strconv.Itoa(int(port)) + path
}
