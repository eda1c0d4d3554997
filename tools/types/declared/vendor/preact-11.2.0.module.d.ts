export { Component, h, render } from "preact";
