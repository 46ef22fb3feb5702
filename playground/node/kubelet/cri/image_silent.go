package cri

// silent is an image of our own, for demos about looking into a container: it
// has no shell, logs nothing, and listens where only it knows.
var silent = Behaviour{
	Images: []string{"kubewalk.dev/silent", "docker.io/kubewalk/silent"}, SizeBytes: 8388608, Entrypoint: []string{"/silent"}, Memory: 6 << 20,
	shellless: true, Ports: []int32{9090}, Says: []string{},
}
