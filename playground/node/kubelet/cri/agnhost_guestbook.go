//go:build !js || cel

package cri

import (
	"encoding/json"
	"maps"
	"net/url"
	"strconv"
	"time"

	"kubewalk/playground/sim"
)

// guestbook is "agnhost guestbook": one holds what was written and gives it to those that register with it, and the one in front of them sends what
// is written to agnhost-primary, and asks agnhost-replica for what is read. Upstream: test/images/agnhost/guestbook/guestbook.go.
type guestbook struct {
	backend, replicaOf string
	store              map[string]string
	replicas           []string
}

// How often a replica tries to register, and for how long. Upstream: sleep and timeout.
const registerPeriod, registerTimeout = time.Second, 5 * time.Minute

func newGuestbook(p *Program, options map[string]string) {
	g := &guestbook{backend: options["backend-port"], replicaOf: options["replicaof"]}
	if g.backend == "" {
		g.backend = "6379"
	}
	port, err := strconv.ParseInt(options["http-port"], 10, 32)
	if err != nil {
		port = 80
	}
	p.Serves, p.Ports, p.Endpoints = true, []int32{int32(port)}, g
}

func (*guestbook) hears(string, int32) bool { return false }

func (g *guestbook) begin(in *Inside, _ *Program) {
	g.store, g.replicas = map[string]string{}, nil
	if g.replicaOf != "" {
		in.runtime.component.Go("guestbook/register", func(p *sim.Proc) { g.register(in, p) })
	}
}

// register has the primary send what is written, and takes what it has.
func (g *guestbook) register(in *Inside, p *sim.Proc) {
	for end := p.Now() + registerTimeout; p.Now() < end; p.Sleep(registerPeriod) {
		if in.runtime.tasks[in.container.ID] != in.task {
			return
		}
		text, failure := in.dialHTTP(p, "register?host="+in.sandbox.IP, g.replicaOf+":"+g.backend)
		var answer struct{ Data map[string]string }
		if failure == "" && json.Unmarshal([]byte(text), &answer) == nil && answer.Data != nil {
			maps.Copy(g.store, answer.Data)
			in.logs("Registered to node: %s", g.replicaOf)
			return
		}
		in.logs("encountered error while registering to primary: %s. Retrying in %s.", failure, registerPeriod)
	}
	in.logs("Timed out while registering to primary.")
	in.end(1, func(Response) {})
}

func (g *guestbook) serve(in *Inside, request Request, done func(Response)) {
	target, err := url.Parse(parseURL(request.URL).path)
	if err != nil {
		done(httpError(err.Error()))
		return
	}
	query := target.Query()
	key, value := query.Get("key"), query.Get("value")
	say := func(name string, value any) {
		text, _ := json.Marshal(map[string]any{name: value})
		done(Response{Status: 200, Body: string(text)})
	}
	in.logs("GET %s?%s", target.Path, target.RawQuery)
	switch target.Path {
	case "/register":
		g.replicas = append(g.replicas, query.Get("host"))
		say("data", g.store)
	case "/get":
		if key == "" {
			say("data", g.store)
		} else {
			say("data", g.store[key])
		}
	case "/set":
		if key == "" {
			done(httpError("cannot set with empty key."))
			return
		}
		g.store[key] = value
		in.runtime.component.Go("guestbook/set", func(p *sim.Proc) {
			for _, replica := range g.replicas {
				if _, failure := in.dialHTTP(p, "set?"+pair(key, value), replica+":"+g.backend); failure != "" {
					done(Response{Status: 417, Body: "encountered error while propagating to replica '" + replica + "': " + failure + "\n"})
					return
				}
			}
			say("message", "Updated")
		})
	case "/guestbook":
		g.forward(in, query.Get("cmd"), key, value, done)
	default:
		done(Response{Status: 404, Body: "404 page not found\n"})
	}
}

func pair(key, value string) string {
	return "key=" + url.QueryEscape(key) + "&value=" + url.QueryEscape(value)
}

// forward asks those that have the store. Upstream: guestbookHandler.
func (g *guestbook) forward(in *Inside, command, key, value string, done func(Response)) {
	host := map[string]string{"get": "agnhost-replica", "set": "agnhost-primary"}[command]
	switch {
	case host == "":
		done(httpError("unsupported cmd: '" + command + "'"))
		return
	case command == "set" && key == "":
		done(httpError("cannot set with empty key."))
		return
	}
	in.runtime.component.Go("guestbook/"+command, func(p *sim.Proc) {
		text, failure := in.dialHTTP(p, command+"?"+pair(key, value), host+":"+g.backend)
		if failure != "" {
			done(Response{Status: 417, Body: "encountered error: " + failure + "\n"})
			return
		}
		done(Response{Status: 200, Body: text})
	})
}
