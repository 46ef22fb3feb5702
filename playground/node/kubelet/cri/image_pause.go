package cri

// pause does nothing until it is told to stop, and listens nowhere.
var pauseImage = Behaviour{
	Images: []string{"pause"}, SizeBytes: 321520, Entrypoint: []string{"/pause"}, Memory: 512 << 10, shellless: true,
	Read: func(argv []string) (Program, bool) { return Program{Forever: true}, base(argv[0]) == "pause" },
}
