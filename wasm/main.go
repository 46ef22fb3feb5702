//go:build js && wasm

// Command wasm is the control plane in the reader's browser: a thin bridge
// from the page's worker to a session. It holds one session at a time.
//
// It sets globalThis.kubewalk with functions that take and return JSON text:
//
//	open({scenario, inputs, layout})  starts a session          → {} or {error}
//	run({until})                      lets virtual time pass    → {now, next}, microseconds; next is -1 when nothing is left
//	frames({from})                    frames from an event on   → [frame …]
//	header()                          header of the recording   → {…}
//	details()                         stacks and objects so far → {…}
package main

import (
	"encoding/json"
	"fmt"
	"syscall/js"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/scenario"
	"kubewalk/playground/scene"
	"kubewalk/playground/session"
)

func main() {
	b := &bridge{}
	js.Global().Set("kubewalk", js.ValueOf(map[string]any{
		"open":    call(b.open),
		"run":     call(b.run),
		"frames":  call(b.frames),
		"header":  call(b.header),
		"details": call(b.details),
	}))
	select {}
}

// call makes a function that JavaScript can call with one JSON text.
// A panic becomes an answer too, so that the page can say what happened.
func call(f func(text []byte) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (answer any) {
		defer func() {
			if r := recover(); r != nil {
				answer = failure(fmt.Sprint(r))
			}
		}()
		var text []byte
		if len(args) > 0 && args[0].Type() == js.TypeString {
			text = []byte(args[0].String())
		}
		result, err := f(text)
		if err != nil {
			return failure(err.Error())
		}
		out, err := json.Marshal(result)
		if err != nil {
			return failure(err.Error())
		}
		return string(out)
	})
}

func failure(message string) string {
	out, _ := json.Marshal(map[string]string{"error": message})
	return string(out)
}

type bridge struct {
	session *session.Session
	layout  scene.Layout
}

func (b *bridge) open(text []byte) (any, error) {
	var in struct {
		Scenario *scenario.Scenario `json:"scenario"`
		Inputs   []cluster.Input    `json:"inputs"`
		Layout   scene.Layout       `json:"layout"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	if in.Scenario == nil {
		return nil, fmt.Errorf("open: needs a scenario")
	}
	if b.session != nil {
		b.session.Close()
		b.session = nil
	}
	s, err := session.Open(in.Scenario, in.Inputs, in.Layout)
	if err != nil {
		return nil, err
	}
	b.session, b.layout = s, in.Layout
	return struct{}{}, nil
}

func (b *bridge) opened() error {
	if b.session == nil {
		return fmt.Errorf("no session is open")
	}
	return nil
}

func (b *bridge) run(text []byte) (any, error) {
	var in struct {
		Until int64 `json:"until"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	if err := b.opened(); err != nil {
		return nil, err
	}
	b.session.Run(time.Duration(in.Until) * time.Microsecond)
	next := int64(-1)
	if at, ok := b.session.Cluster().Next(); ok {
		next = at.Microseconds()
	}
	return map[string]int64{"now": b.session.Cluster().Elapsed().Microseconds(), "next": next}, nil
}

func (b *bridge) frames(text []byte) (any, error) {
	var in struct {
		From int `json:"from"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, err
	}
	if err := b.opened(); err != nil {
		return nil, err
	}
	return b.session.Frames(b.layout, max(in.From, 1)), nil
}

func (b *bridge) header([]byte) (any, error) {
	if err := b.opened(); err != nil {
		return nil, err
	}
	return b.session.Header(b.layout), nil
}

func (b *bridge) details([]byte) (any, error) {
	if err := b.opened(); err != nil {
		return nil, err
	}
	return b.session.Details()
}
