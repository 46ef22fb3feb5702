package cri

import (
	"slices"
	"strings"
)

// Behaviour is what is known of an image: one line of the catalogue. Each is in
// a file of its own, image_*.go.
type Behaviour struct {
	// Images are repositories: "docker.io/library/nginx". A last part alone
	// ("agnhost") stands for it in every registry.
	Images []string
	// SizeBytes is what a pull downloads; 0 is made up from the name.
	SizeBytes int64
	// Entrypoint and Cmd are the image's own: a Pod's command replaces both, its
	// args only Cmd.
	Entrypoint, Cmd []string
	// Commands are the other executables that it holds besides those two and a
	// shell's: a container that is to run another one can't be started.
	Commands []string
	// Memory is what its program uses (bytes), Ports what it listens on without
	// being told.
	Memory int64
	Ports  []int32
	// Files are in the image, by absolute path.
	Files map[string]string
	// Read makes a program of a command line; ok is false when the rules for all
	// images apply.
	Read func(argv []string) (p Program, ok bool)
	// open is true for images that hold whatever they are asked for, as those do of which nothing is known.
	open bool
	// shellless is true for images that have no shell.
	shellless    bool
	LogsRequests bool
	Root         string
	Says         []string
}

// catalogue lists the images that behave in a way of their own. It is a
// function, so that what it refers to may refer to it.
func catalogue() []*Behaviour {
	return append([]*Behaviour{&nginx, &httpd, &whoami, &hello, &redis, &postgres, &busybox, &testBusybox, &alpine, &debian, &pauseImage, &agnhost, &liveness,
		&stress, &vishStress, &hpaExample, &perl, &app, &clock, &silent, &metricsServer}, rareImages...)
}

// rareImages are those that hardly any demo needs, and not every build for the browser has.
var rareImages []*Behaviour

var anything = Behaviour{}

// holds tells whether an image has an executable. Nothing is known of an image
// that isn't in the catalogue: it has all that it is asked for.
func (b *Behaviour) holds(command string) bool {
	name := base(command)
	_, ofShell := commands[name]
	switch {
	case isAgnhost(command):
		return b == &agnhost
	case ofShell || name == "dash":
		return !b.shellless
	case b.open, b.Read == nil && b.Entrypoint == nil && b.Cmd == nil:
		return !strings.HasPrefix(name, "no-such")
	}
	own := func(argv []string) bool { return len(argv) > 0 && base(argv[0]) == name }
	return own(b.Entrypoint) || own(b.Cmd) || slices.Contains(b.Commands, name)
}

// lookup finds an image's behaviour; an image that isn't in the catalogue serves.
func lookup(image string) *Behaviour {
	if image == "" {
		return &anything
	}
	repository := NormalizeImage(image)
	for i := range repository {
		if repository[i] == '@' {
			repository = repository[:i]
			break
		}
	}
	repository, _ = splitTag(repository)
	last := base(repository)
	for _, b := range catalogue() {
		for _, name := range b.Images {
			if name == repository || name == last {
				return b
			}
		}
	}
	return &anything
}
