//go:build !js || cel

package cluster

import (
	"fmt"
	"strconv"

	"kubewalk/playground/node/kubelet"
)

// AskKubelet sends a request on to a port of a node, its kubelet's if port is "", as the API server does for who asks for nodes/proxy:
// only a kubelet answers there. It changes nothing of what happens in the cluster, and takes none of its time.
func (c *Cluster) AskKubelet(node, port, method, path string) (code int, body string, err error) {
	own := strconv.Itoa(kubelet.Port)
	if port == "" {
		port = own
	}
	m := c.findBox(node)
	switch {
	case m == nil:
		return 0, "", fmt.Errorf("dial tcp: lookup %s: no such host", node)
	case c.unreachable(node):
		return 0, "", fmt.Errorf("dial tcp %s:%s: i/o timeout", m.ip, port)
	case port != own || m.kubelet == nil || !m.kubelet.Component().Running():
		return 0, "", fmt.Errorf("dial tcp %s:%s: connect: connection refused", m.ip, port)
	}
	code, body = m.kubelet.Serve(method, path, c.Time())
	return code, body, nil
}
