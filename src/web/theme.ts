// Runs before anything is drawn: a page of another theme than the system's does not flash.
document.documentElement.style.colorScheme = localStorage.getItem('quaero theme') ?? ''
