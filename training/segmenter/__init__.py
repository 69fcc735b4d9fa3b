"""The segmenter's training: joints of running text, the classifier that tells them, and how well it finds sections."""
