//go:build !js

package cluster

import (
	"strings"

	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/kubelet/token"
	"kubewalk/playground/node/kubelet/volumemanager"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
)

// kubeletTokens is what asks for tokens; nil where kubelets make some up.
func (c Config) kubeletTokens() func(client.Transport, *sim.Rand) volumemanager.Tokens {
	if c.Tokens == nil {
		return nil
	}
	return func(transport client.Transport, rand *sim.Rand) volumemanager.Tokens {
		return token.NewManager(transport, rand)
	}
}

// showIssuer has the API server that has just started tell programs in Pods how the tokens of service accounts are checked, if others can.
func (c *Cluster) showIssuer() {
	if c.fabric == nil || !c.server.ShowsIssuer() {
		return
	}
	c.fabric.Listen(apiserver.AdvertiseAddress, apiserver.SecurePort, &network.Host{Component: c.server.Component(),
		Serve: func(_ string, _ int32, r network.Request, done func(network.Response)) {
			target := network.ParseURL(r.URL)
			switch {
			case target.Scheme == "tcp":
				done(network.Response{})
				return
			case target.Scheme == "http":
				done(network.Response{Status: 400, Body: "Client sent an HTTP request to an HTTPS server.\n"})
				return
			}
			bearer := ""
			if values := r.Header["Authorization"]; len(values) > 0 {
				bearer, _ = strings.CutPrefix(values[0], "Bearer ")
			}
			c.server.Issuer(r.Method, target.Path, bearer, func(status int, body string) { done(network.Response{Status: status, Body: body}) })
		}})
}
